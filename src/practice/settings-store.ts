/** The settings in force, in versions in the database. */
import { DamagedRecordError } from './domain/practice-types.ts';
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

export type SettingsStore = ReturnType<typeof makeSettingsStore>;

/** `fillAfterMs` overrides the fill time of the settings, for this process only. */
export function makeSettingsStore(fillAfterMs?: number) {
  let last: (SettingsInForce & { document: string }) | undefined;
  return {
    /** Read in each transaction, so that all processes use the same. */
    current(db: Database): SettingsInForce {
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

/** Saves the next version. Equal settings change nothing. Inside a transaction. */
export function saveSettings(db: Database, settings: PracticeSettings): void {
  const document = JSON.stringify(settings);
  const row = db.get('SELECT version, document FROM settings_versions ORDER BY version DESC LIMIT 1');
  if (row !== undefined && textColumn(row, 'document') === document) return;
  const version = row === undefined ? 1 : integerColumn(row, 'version') + 1;
  insertRow(db, 'settings_versions', { version, document });
}
