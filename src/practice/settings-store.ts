/** The settings in force, in versions in the database, and the import of a `settings.json`. */
import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedRecordError, PracticeInputError, PracticeStoreError } from './domain/practice-types.ts';
import {
  type PracticeSettings,
  parseSettings,
  type TradingConditions,
  toTradingConditions,
} from './settings.ts';
import { type Database, insertRow, integerColumn, textColumn } from './store/database.ts';

export interface SettingsInForce {
  settings: PracticeSettings;
  terms: TradingConditions;
}

export interface SettingsStore {
  /** Read in each transaction, so that all processes use the same. */
  current(db: Database): SettingsInForce;
}

/** `fillAfterMs` overrides the fill time of the settings, for this process only. */
export function makeSettingsStore(fillAfterMs?: number): SettingsStore {
  let last: (SettingsInForce & { document: string }) | undefined;
  return {
    current(db) {
      const row = db.get('SELECT version, document FROM settings_versions ORDER BY version DESC LIMIT 1');
      if (row === undefined) throw new DamagedRecordError('no settings');
      const version = integerColumn(row, 'version');
      const document = textColumn(row, 'document');
      // A version that was rolled back may come again with other settings.
      if (last?.terms.version !== version || last.document !== document) {
        const settings = parseDocument(document);
        const terms = toTradingConditions(settings, version);
        last = {
          document,
          settings,
          terms:
            fillAfterMs === undefined ? terms : { ...terms, fillMs: { min: fillAfterMs, max: fillAfterMs } },
        };
      }
      return last;
    },
  };
}

function parseDocument(document: string): PracticeSettings {
  try {
    return parseSettings(JSON.parse(document));
  } catch (cause) {
    throw new DamagedRecordError('unreadable settings', { cause });
  }
}

/** Saves the next version, which holds from book time `at` on. Equal settings change nothing. Inside a transaction. */
export function saveSettings(db: Database, settings: PracticeSettings, at: number): void {
  const document = JSON.stringify(settings);
  const row = db.get('SELECT version, document FROM settings_versions ORDER BY version DESC LIMIT 1');
  if (row !== undefined && textColumn(row, 'document') === document) return;
  const version = row === undefined ? 1 : integerColumn(row, 'version') + 1;
  insertRow(db, 'settings_versions', { version, at, document });
}

export interface SettingsFile {
  settings: PracticeSettings;
  /** Renames the file to `settings.json.imported`. */
  setAside(): Promise<void>;
}

const LARGEST_FILE = 1_048_576;

/** Undefined if the store has no `settings.json`. */
export async function readSettingsFile(store: string): Promise<SettingsFile | undefined> {
  const path = join(store, 'settings.json');
  const text = await readFileText(path);
  if (text === undefined) return undefined;
  return {
    settings: parseFile(path, text),
    async setAside() {
      // Another process may have imported it too.
      await rename(path, `${path}.imported`).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return;
        throw new PracticeStoreError(path, `${path} was imported, but cannot be renamed.`, {
          cause: error,
          trouble: 'disk',
        });
      });
    },
  };
}

async function readFileText(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > LARGEST_FILE) {
      throw new PracticeStoreError(path, `${path} is not a settings file of at most 1 MiB.`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    // A store that is not a folder is reported when the folder is created.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    if (error instanceof PracticeStoreError) throw error;
    throw new PracticeStoreError(path, `The practice settings in ${path} cannot be read.`, { cause: error });
  }
}

function parseFile(path: string, text: string): PracticeSettings {
  try {
    return parseSettings(JSON.parse(text));
  } catch (error) {
    const message =
      error instanceof PracticeInputError
        ? `The practice settings in ${path} cannot be used. ${error.message}`
        : `The practice settings in ${path} are not JSON: ${error instanceof Error ? error.message : String(error)}.`;
    throw new PracticeStoreError(path, message, { cause: error });
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
