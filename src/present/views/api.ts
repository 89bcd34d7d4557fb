/** What a raw request brought, as a person reads it: the service's own words, or the action that it was. */
import { writeExactJson } from '../../domain/exact-json.ts';
import type { ActionReport } from '../../flow/dealing.ts';
import { actionDocument } from '../action-document.ts';
import { type Block, verbatimLines } from '../blocks.ts';
import { viewAction } from './action.ts';

export type ApiResult = { kind: 'reading'; data: unknown } | { kind: 'action'; report: ActionReport };

export const apiDocument = (result: ApiResult): unknown =>
  result.kind === 'reading' ? result.data : actionDocument(result.report);

export const viewApi = (result: ApiResult): readonly Block[] =>
  result.kind === 'action'
    ? viewAction(result.report)
    : verbatimLines(writeExactJson(result.data, { indent: 2 }));
