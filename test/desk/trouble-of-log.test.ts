/** The error of `desk init` and `desk join` for a database that they cannot use. */
import { expect, it } from 'vitest';
import { LogFailure, type LogFailureKind } from '../../src/desk/connection.ts';
import { notSetUp } from '../../src/desk/trouble-of-log.ts';

it.each<[string, LogFailureKind, string]>([
  ['an unreachable server', 'no_answer', 'later'],
  ['a busy log', 'busy', 'later'],
  ['a wrong password', 'refused', 'never'],
  ['a login without rights', 'forbidden', 'never'],
  ['a certificate that is not accepted', 'untrusted', 'never'],
  ['a database without a desk', 'no_desk', 'never'],
])('a machine that joins a desk is told whether to try again: %s', (_, kind, retry) => {
  expect(notSetUp(new LogFailure(kind, 'it failed'))).toMatchObject({
    code: 'desk_unreachable',
    effect: 'none',
    retry,
  });
});
