/** Which folders above a path let another user replace what is below. Another user is a real one where this is root. */
import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError } from '../../src/errors.ts';
import { checkParents, openParents } from '../../src/platform/parent-folders.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import { hinting } from '../support/hints.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const US = process.geteuid?.() ?? 0;
const isRoot = US === 0;
const NOBODY = 65_534;
/** An ordinary user, who as root's test is not this process's own. */
const ORDINARY = isRoot ? 1_000 : US;

/** The folder, made with a mode that no umask takes from, of an owner where this test may give it one. */
function made(path: string, mode: number, owner = US): string {
  mkdirSync(path);
  chmodSync(path, mode);
  if (owner !== US) chownSync(path, owner, owner);
  return path;
}

const risks = (path: string, uid = US) => openParents(path, { uid }).map(({ path: at, risk }) => [at, risk]);

describe('the folders above ours', () => {
  it('are accepted below /tmp, which everybody writes into and nobody can rename in', () => {
    const home = mkdtempSync(join(realpathSync(tmpdir()), 'hedge-test-'));
    expect(risks(join(home, 'state'))).toEqual([]);
    expect(risks(join(tmpdir(), 'hedge-that-is-not-there', 'state'))).toEqual([]);
  });

  it('are refused where every user can write into one, however far up, and a command that closes it is named', () => {
    const open = made(join(temporaryFolder(), 'open'), 0o777);
    const state = join(made(join(open, 'ours'), 0o700), 'deeper', 'state');
    expect(risks(state)).toEqual([[open, 'refused']]);
    expect(() => checkParents(state, { uid: US })).toThrow(
      expect.objectContaining({ path: open, hint: hinting(`chmod o-w ${open}`) }),
    );
  });

  it('are refused before anything is there: what is absent may have been moved away', () => {
    const open = made(join(temporaryFolder(), 'open'), 0o777);
    const places = pathsOf({
      env: { HEDGE_HOME: join(open, 'x') },
      host: { platform: 'linux', uid: US },
      home: '/root',
    });
    for (const folder of ['config', 'state', 'cache'] as const)
      expect(() => places[folder]).toThrow(DamagedFileError);
  });

  it('are refused on the way of a link and where it leads', () => {
    const home = temporaryFolder();
    const open = made(join(home, 'open'), 0o777);
    const ours = made(join(home, 'ours'), 0o700);
    made(join(open, 'real'), 0o700);
    symlinkSync(join(open, 'real'), join(ours, 'inward'));
    symlinkSync('../ours', join(open, 'outward'));
    expect(risks(join(ours, 'inward', 'state'))).toEqual([[open, 'refused']]);
    expect(risks(join(open, 'outward', 'state'))).toEqual([[open, 'refused']]);
  });

  it('end at a link that leads back to itself, and at a file', () => {
    const home = temporaryFolder();
    symlinkSync('round', join(home, 'round'));
    expect(risks(join(home, 'round', 'state'))).toEqual([]);
  });

  it('are reported, and not refused, where a group can write into one', () => {
    const shared = made(join(temporaryFolder(), 'shared'), 0o770);
    expect(risks(join(shared, 'state'))).toEqual([[shared, 'group']]);
    expect(() => checkParents(join(shared, 'state'), { uid: US })).not.toThrow();
  });

  it('are not looked at where there are no user ids', () => {
    const open = made(join(temporaryFolder(), 'open'), 0o777);
    expect(openParents(join(open, 'state'), { uid: undefined })).toEqual([]);
  });

  it("are refused where one is another user's", () => {
    const home = temporaryFolder();
    const theirs = made(join(home, 'theirs'), 0o755, isRoot ? NOBODY : US);
    // Without root nobody can give a folder away: then it is we who are another user.
    expect(risks(join(theirs, 'state'), isRoot ? US : US + 1)).toContainEqual([theirs, 'refused']);
  });

  describe.skipIf(!isRoot)('with real owners', () => {
    it("are accepted where they are root's or this user's, and for root too", () => {
      const home = temporaryFolder();
      chmodSync(home, 0o755);
      const ours = made(join(home, 'ours'), 0o755, ORDINARY);
      expect(risks(join(ours, 'state'), ORDINARY)).toEqual([]);
      expect(risks(join(ours, 'state'), 0)).toEqual([[ours, 'refused']]);
      expect(risks(join(ours, 'state'), NOBODY)).toEqual([[ours, 'refused']]);
    });

    it('are refused in a shared folder where the next is of a third user, a link of theirs too', () => {
      const shared = made(join(temporaryFolder(), 'shared'), 0o1777);
      made(join(shared, 'theirs'), 0o777, NOBODY);
      const ours = made(join(shared, 'ours'), 0o700, ORDINARY);
      symlinkSync(ours, join(shared, 'their-link'));
      lchownSync(join(shared, 'their-link'), NOBODY, NOBODY);
      symlinkSync(ours, join(shared, 'our-link'));
      lchownSync(join(shared, 'our-link'), ORDINARY, ORDINARY);
      chmodSync(join(shared, '..'), 0o755);
      expect(risks(join(ours, 'state'), ORDINARY)).toEqual([]);
      expect(risks(join(shared, 'our-link', 'state'), ORDINARY)).toEqual([]);
      expect(risks(join(shared, 'their-link', 'state'), ORDINARY)).toEqual([[shared, 'refused']]);
      expect(risks(join(shared, 'theirs', 'state'), ORDINARY)).toContainEqual([shared, 'refused']);
    });
  });
});
