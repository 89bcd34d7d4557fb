/** A validator by others judges responses by the documents of both APIs. */
import { type Document, OpenAPIBackend } from 'openapi-backend';
import type { Step } from './mixed-requests.ts';
import type { Reply, TestPractice } from './practice-service.ts';

/** Undefined if the response is as documented; for a status that the document lacks, that is the violation. */
export type Judge = (
  method: string,
  path: string,
  seen: { status: number; text: string },
) => string | undefined;

async function judgeOf(definition: Document): Promise<Judge> {
  const api = new OpenAPIBackend({
    definition,
    quick: true,
    ajvOpts: {
      strict: false,
      allErrors: true,
      formats: { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) },
    },
  });
  await api.init();
  // A 405 is documented by the operations of its path, a 404 by that of all other paths.
  const operationFor = (method: string, path: string) => {
    const methods = [method, 'get', 'post', 'put', 'patch', 'delete'];
    return (
      methods
        .map((each) => api.matchOperation({ method: each, path, headers: {} }))
        .find((found) => found !== undefined) ?? api.getOperation('unknownPath')
    );
  };
  return (method, path, { status, text }) => {
    const operation = operationFor(method.toLowerCase(), path.split('?')[0] ?? path);
    if (operation === undefined) return `${method} ${path} has no operation`;
    const named = `${method} ${path} ${status} as ${operation.operationId ?? ''}`;
    const documented = operation.responses?.[String(status)];
    if (documented === undefined) return `${named}: not documented`;
    const { error } = JSON.parse(text);
    const codes = 'x-error-codes' in documented ? documented['x-error-codes'] : [null];
    if (Array.isArray(codes) && !codes.includes(error?.code ?? null))
      return `${named}: the code ${String(error?.code)} is not documented`;
    const { valid, errors } = api.validateResponse(JSON.parse(text), operation, status);
    return valid ? undefined : `${named}: ${JSON.stringify(errors)} ${text.slice(0, 200)}`;
  };
}

const documentOf = async (reply: Promise<Reply>): Promise<Document> => (await reply).body;

export async function judgesOf(practice: TestPractice): Promise<Record<Step['api'], Judge>> {
  return {
    partner: await judgeOf(await documentOf(practice.get('/openapi.json', { as: null }))),
    control: await judgeOf(
      await documentOf(practice.control('GET', '/openapi.json', undefined, { as: null })),
    ),
  };
}
