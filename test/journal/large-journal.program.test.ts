import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { temporaryFolder } from '../support/own-folder.ts';

it('the large journal that the bench measures is one that hedge could have written', async () => {
  const home = temporaryFolder();
  execFileSync(process.execPath, ['test/bench/journal-size.mjs', 'write', home, '300']);
  const audit = await runBuilt(['audit', 'verify', '--query', 'data.[verdict, checked.records]'], {
    env: { HEDGE_HOME: home },
  });
  expect(audit.err).toBe('');
  expect(audit.code).toBe(0);
  expect(audit.out).toMatch(/^unchanged\n1\d{3}\n$/);
});
