/** The schema of each command's document, as JSON Schema 2020-12. */
import * as z from 'zod/mini';
import {
  actionDocumentSchema,
  chainDocumentSchema,
  checkDocumentSchema,
  dealsDocumentSchema,
  resumeDocumentSchema,
  rollDocumentSchema,
  rollShowDocumentSchema,
  runDocumentSchema,
} from './action-document.ts';
import { coverDocumentSchema } from './cover-document.ts';
import { documentSchema } from './document.ts';
import { list, sentAccount, sentMarket, sentPosition } from './document-fields.ts';
import * as journal from './journal-document.ts';
import * as machine from './machine-document.ts';
import * as reading from './reading-document.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** By the words after `hedge`. */
const DATA: Readonly<Record<string, z.ZodMiniType>> = {
  markets: list(sentMarket),
  price: reading.priceDocumentSchema,
  quote: reading.quoteDocumentSchema,
  watch: reading.watchDocumentSchema,
  open: actionDocumentSchema,
  add: actionDocumentSchema,
  reduce: actionDocumentSchema,
  close: actionDocumentSchema,
  check: checkDocumentSchema,
  resume: resumeDocumentSchema,
  wait: actionDocumentSchema,
  halt: journal.haltDocumentSchema,
  unhalt: journal.haltDocumentSchema,
  cover: coverDocumentSchema,
  'deals check': dealsDocumentSchema,
  'deals run': dealsDocumentSchema,
  maturities: reading.maturitiesDocumentSchema,
  roll: rollDocumentSchema,
  'roll run': runDocumentSchema,
  'roll show': rollShowDocumentSchema,
  'roll drop': chainDocumentSchema,
  'what-if': reading.whatIfDocumentSchema,
  snapshot: reading.snapshotDocumentSchema,
  report: reading.reportDocumentSchema,
  reconcile: reading.reconcileDocumentSchema,
  export: reading.bookedDocumentSchema,
  status: reading.homeDocumentSchema,
  hedge: reading.homeDocumentSchema,
  hedges: reading.hedgesDocumentSchema,
  history: reading.historyDocumentSchema,
  positions: list(sentPosition),
  account: sentAccount,
  journal: journal.journalListSchema,
  'journal resolve': journal.journalDocumentSchema,
  'journal halts': journal.haltRecordsSchema,
  'journal backup': journal.backupDocumentSchema,
  'journal export': journal.journalExportSchema,
  'journal import': journal.journalImportSchema,
  'journal repair': journal.journalRepairSchema,
  'journal accept-loss': journal.acceptedLossSchema,
  'audit verify': journal.auditDocumentSchema,
  'audit checkpoint': journal.checkpointDocumentSchema,
  desk: journal.deskStatusSchema,
  'desk init': journal.deskInitSchema,
  'desk join': journal.deskJoinedSchema,
  'desk status': journal.deskStatusSchema,
  'desk limit': journal.deskLimitsSchema,
  'desk adopt': journal.deskAdoptedSchema,
  'desk leave': journal.deskLeftSchema,
  'profile add': machine.profileChangeSchema,
  'profile list': machine.profileListSchema,
  'profile show': machine.profileShowSchema,
  'profile use': machine.profileChangeSchema,
  'profile set': machine.profileChangeSchema,
  'profile limit': machine.profileChangeSchema,
  'profile remove': machine.profileChangeSchema,
  'practice status': machine.practiceStatusSchema,
  'practice advance': machine.practiceAdvanceSchema,
  'practice faults': machine.practiceFaultsSchema,
  'practice settings': machine.practiceSettingsSchema,
  'practice reset': machine.practiceStatusSchema,
  'practice serve': machine.practiceServedSchema,
  'agent start': machine.agentStartSchema,
  'agent status': machine.agentStatusSchema,
  'agent stop': machine.agentStopSchema,
  doctor: machine.doctorDocumentSchema,
  api: machine.apiDocumentSchema,
  completion: machine.completionDocumentSchema,
  version: machine.versionDocumentSchema,
  '--version': machine.versionDocumentSchema,
  help: machine.helpDocumentSchema,
  schema: machine.schemaDocumentSchema,
  mcp: machine.clientConfigSchema,
};

/** Undefined for a command without a document of its own: `batch` prints those of its lines. */
export function documentSchemaOf(command: string): JsonSchema | undefined {
  const data = Object.hasOwn(DATA, command) ? DATA[command] : undefined;
  return data === undefined ? undefined : jsonSchemaOf(documentSchema(data));
}

export const documentedCommands = (): readonly string[] => Object.keys(DATA);

function jsonSchemaOf(schema: z.ZodMiniType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    unrepresentable: 'any',
    // The schema of a document that is written, not of one that is read.
    override({ jsonSchema }) {
      delete jsonSchema.readOnly;
    },
  });
}
