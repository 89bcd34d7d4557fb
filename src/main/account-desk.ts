/** The desk of the selected account, found by service, label and API key, not by the profile's name. Reads files only. */
import type { Selection } from '../config/resolve.ts';
import type { FoundDesk } from '../desk/desk-of-account.ts';
import { ApiKey } from '../domain/api-key.ts';
import { say, shell } from '../domain/hint.ts';
import { nothingSent, StoppedError } from '../errors.ts';
import { keyOf, normalizeUrl } from '../readings/known-keys.ts';
import { hasDesk } from './own-desks.ts';
import type { CommandRuntime, DeskRuntime } from './runtime-context.ts';

/** Looks again, without waiting. @throws DamagedFileError; StoppedError where this machine has joined its first desk meanwhile. */
export type LookForDesk = () => FoundDesk | undefined;

export async function deskLookup(parts: CommandRuntime, selected: Selection): Promise<LookForDesk> {
  if (selected.kind === 'practice') return () => undefined;
  const { state } = parts.places();
  if (!hasDesk(parts))
    return () => {
      if (hasDesk(parts)) throw deskChanged();
      return undefined;
    };
  const { deskOf } = await import('../desk/desk-of-account.ts');
  const known = knownAccount(selected);
  return () => known && deskOf(known, state, parts.machine.host);
}

/** Undefined without one. From here on this command goes by the desk's time. @throws DamagedFileError */
export async function accountDesk(parts: DeskRuntime, selected: Selection): Promise<FoundDesk | undefined> {
  const desk = (await deskLookup(parts, selected))();
  if (desk?.member.state !== 'following') return desk;
  const { deskFolder } = await import('../desk/membership.ts');
  const { contactFile } = await import('../desk/contact.ts');
  const { machine } = parts;
  const contacts = contactFile(deskFolder(parts.places().state, desk.member.name), machine);
  // Until its database says the time.
  machine.clock.shiftMs = contacts.read()?.offsetMs ?? 0;
  return desk;
}

export const deskChanged = (): StoppedError =>
  nothingSent({
    code: 'desk_joined',
    what: 'This machine has joined or left a desk meanwhile.',
    hint: 'Run the same command again.',
  });

export const stillJoining = (name: string, meaning: string): StoppedError =>
  new StoppedError({
    code: 'desk_joined',
    what: `This machine is joining desk ${name}, and has not delivered all its records.`,
    meaning,
    hint: say`If no join is running, run it again, and it continues: ${shell`hedge desk join URL`}`,
  });

function knownAccount(selected: Exclude<Selection, { kind: 'practice' }>) {
  const baseUrl = normalizeUrl(selected.kind === 'pair' ? selected.baseUrl : selected.profile.base_url);
  if (baseUrl === undefined) return undefined;
  const key = selected.kind === 'pair' ? keyInText(selected.apiKey()) : keyOf(selected.profile);
  const replaced = selected.kind === 'pair' ? [] : (selected.profile.replaced_keys ?? []);
  return {
    baseUrl,
    environment: key?.environment,
    label: selected.account,
    hasKey: (fingerprint: string) => fingerprint === key?.fingerprint || replaced.includes(fingerprint),
  };
}

/** Undefined for an unusable one: the command that needs it says so. */
function keyInText(text: string): Pick<ApiKey, 'environment' | 'fingerprint'> | undefined {
  try {
    return ApiKey.of(text.trim());
  } catch {
    return undefined;
  }
}
