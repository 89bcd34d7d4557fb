/** Reads `settings.json` of a store; an unusable file is an error that names the file and the field. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PracticeSettings } from '../door.ts';
import { PracticeInputError, PracticeStoreError } from '../failures.ts';
import { defaultSettings, settingsFile, settle } from './settings.ts';
import { type Terms, termsOf } from './terms.ts';

const LARGEST_FILE = 1_048_576;

export interface LoadedSettings {
  settings: PracticeSettings;
  terms: Terms;
}

export async function loadSettings(store: string): Promise<LoadedSettings> {
  const path = join(store, 'settings.json');
  const settings = await settingsIn(path);
  try {
    return { settings, terms: termsOf(settings) };
  } catch (error) {
    if (!(error instanceof PracticeInputError)) throw error;
    throw new PracticeStoreError(path, `The practice settings in ${path} cannot be used. ${error.message}`);
  }
}

async function settingsIn(path: string): Promise<PracticeSettings> {
  const text = await textOf(path);
  if (text === undefined) return defaultSettings;
  const parsed = settingsFile.safeParse(jsonOf(path, text));
  if (!parsed.success) {
    const found = parsed.error.issues.map(
      (issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`,
    );
    throw new PracticeStoreError(
      path,
      `The practice settings in ${path} cannot be used. ${found.join('; ')}.`,
    );
  }
  for (const [name, market] of Object.entries(parsed.data.markets ?? {})) {
    if (!Object.hasOwn(defaultSettings.markets, name) && market.base_rate === undefined) {
      throw new PracticeStoreError(
        path,
        `The practice settings in ${path} cannot be used. markets.${name}.base_rate: a new market needs one.`,
      );
    }
  }
  return settle(parsed.data);
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > LARGEST_FILE) {
      throw new PracticeStoreError(path, `${path} is no settings file: it must be a file of at most 1 MiB.`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    // A store that is no folder is said by whoever makes the folder.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (error instanceof PracticeStoreError) throw error;
    throw new PracticeStoreError(path, `The practice settings in ${path} cannot be read.`, { cause: error });
  }
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PracticeStoreError(path, `The practice settings in ${path} are not JSON: ${reason}.`, {
      cause: error,
    });
  }
}
