/** `GET /`: the page for a browser, and where the APIs are for every other client. */
import type { AdminContext } from '../admin.ts';
import type { RequestHead } from '../http/http-messages.ts';
import type { PracticeResponse } from '../schemas/api-error.ts';
import { messagePage, overviewPage, PAGE_HEADERS, type PageContext } from './overview.ts';
import type { PageAccess } from './page-access.ts';

export interface FrontContext extends PageContext {
  books: ReadonlyMap<string, AdminContext>;
  /** `https://127.0.0.1:41234` */
  origin: string;
  controlUrl: string;
  urlOf(book: string): string;
}

export async function frontResponse(
  context: FrontContext,
  access: PageAccess,
  { url, headers }: RequestHead,
): Promise<PracticeResponse> {
  const { searchParams: query, port } = new URL(url, context.origin);
  const token = query.get('token');
  if (token === null && headers.accept?.includes('text/html') !== true) return whereTheApisAre(context);
  const name = `hedge-page-${port}`;
  const session = token === null ? cookieIn(headers.cookie, name) : access.redeem(token);
  if (!access.isOpen(session) && !access.isOpen(cookieIn(headers.cookie, name)))
    return page(401, messagePage(token === null ? OPEN_THE_LINK : USED));
  const asked = query.get('book');
  const book = context.books.get(asked ?? '') ?? [...context.books.values()][0];
  if (book === undefined) throw new Error('The practice service has no book.');
  const shown = page(200, await overviewPage(context, [...context.books.keys()], book));
  if (token === null || session === undefined) return shown;
  const cookie = `${name}=${session}; Path=/; Secure; HttpOnly; SameSite=Strict`;
  return { ...shown, headers: { ...shown.headers, 'Set-Cookie': cookie } };
}

const NEW_LINK = 'POST /control/v1/page, with the control key, gives a new one.';
const OPEN_THE_LINK = `Open the link that hedge practice serve printed. ${NEW_LINK}`;
const USED = `This link was used. ${NEW_LINK}`;

const page = (status: number, body: string): PracticeResponse => ({ status, body, headers: PAGE_HEADERS });

const addressOf = (url: string): object => ({ base_url: url, openapi_url: `${url}/openapi.json` });

function whereTheApisAre(context: FrontContext): PracticeResponse {
  const books = [...context.books.keys()].map((name) => ({ name, ...addressOf(context.urlOf(name)) }));
  const data = { partner_api: books, control_api: addressOf(context.controlUrl) };
  return { status: 200, body: JSON.stringify({ data, error: null, meta: {} }), headers: {} };
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
