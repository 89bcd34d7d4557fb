/**
 * The protocol's own conformance suite, which speaks HTTP alone, before `hedge mcp` on stdio. Its version 0.1.13 is the
 * last that Node 20 can load; the scenarios for servers are those of 0.1.16.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bareEnvironment, runProgram, toStart } from '../support/built.ts';
import { httpRelay } from '../support/http-relay.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/** Shown by the server, or by the HTTP in front of it. */
const HELD = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

const NO_TOOL = /There is no tool of this name|Tool '\w+' not found/;
const NO_METHOD = /Method not found/;

interface NotOffered {
  reason: string;
  /** What the server answers instead. */
  answer: RegExp;
  scenarios: readonly string[];
}

const NOT_OFFERED: readonly NotOffered[] = [
  {
    reason: 'asks for a tool of the reference server, which shows a kind of content that no tool here has',
    answer: NO_TOOL,
    scenarios: [
      'tools-call-simple-text',
      'tools-call-image',
      'tools-call-audio',
      'tools-call-embedded-resource',
      'tools-call-mixed-content',
      'tools-call-error',
      'json-schema-2020-12',
    ],
  },
  {
    reason: 'no tool takes so long that its progress would say anything',
    answer: NO_TOOL,
    scenarios: ['tools-call-with-progress'],
  },
  {
    reason: 'the server asks its client for nothing: a model could answer in the place of a person',
    answer: NO_TOOL,
    scenarios: [
      'tools-call-sampling',
      'tools-call-elicitation',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
    ],
  },
  {
    reason: 'the journal of the desk is the log, and no client sets its level',
    answer: NO_METHOD,
    scenarios: ['logging-set-level', 'tools-call-with-logging'],
  },
  {
    reason: 'completion is of prompts and resources, which there are not',
    answer: NO_METHOD,
    scenarios: ['completion-complete'],
  },
  {
    reason: 'there are no resources: each reading is a tool, which says whose account it is of',
    answer: NO_METHOD,
    scenarios: [
      'resources-list',
      'resources-read-text',
      'resources-read-binary',
      'resources-templates-read',
      'resources-subscribe',
      'resources-unsubscribe',
    ],
  },
  {
    reason: 'there are no prompts: what an assistant is told is in the descriptions of the tools',
    answer: NO_METHOD,
    scenarios: [
      'prompts-list',
      'prompts-get-simple',
      'prompts-get-with-args',
      'prompts-get-embedded-resource',
      'prompts-get-with-image',
    ],
  },
];

interface Check {
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  errorMessage?: string;
}

it('the conformance suite holds, but for what is not offered', async () => {
  const [command, args] = toStart('mcp', '--profile', 'practice');
  const relay = await httpRelay({
    command,
    args,
    env: bareEnvironment({ HEDGE_HOME: temporaryFolder() }),
  });
  const results = temporaryFolder();
  await runProgram(
    process.execPath,
    [SUITE, 'server', '--url', relay.url, '--suite', 'all', '--output-dir', results],
    {},
  );
  await relay.close();

  const answered = readdirSync(results).map((folder): [string, string] => [
    folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
    failuresIn(JSON.parse(readFileSync(`${results}/${folder}/checks.json`, 'utf8'))),
  ]);
  expect(Object.fromEntries(answered)).toEqual({
    ...Object.fromEntries(HELD.map((scenario) => [scenario, ''])),
    ...Object.fromEntries(
      NOT_OFFERED.flatMap(({ scenarios, answer }) =>
        scenarios.map((scenario) => [scenario, expect.stringMatching(answer)]),
      ),
    ),
  });
});

const failuresIn = (checks: readonly Check[]): string =>
  checks
    .filter(({ status }) => status === 'FAILURE')
    .map(({ errorMessage = 'failed' }) => errorMessage)
    .join('\n');
