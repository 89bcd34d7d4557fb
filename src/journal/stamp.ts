/** The stamp of a record in a desk's log: what the database says about its author and time. Records of one machine have none. Pure. */
import { fieldsIn } from '../domain/fields.ts';

export interface Stamp {
  /** By the database's time. ISO 8601 UTC. */
  at: string;
  /** The login. */
  login: string;
  /** Whether that login was an approver then: one may lift halts and raise limits. */
  isApprover: boolean;
  /** Written before its machine joined the desk, and delivered then. */
  isEarlier: boolean;
}

/** Undefined for a text that is none. */
export function readStamp(text: string): Stamp | undefined {
  if (text === '') return undefined;
  const { at, by, approver, earlier } = fieldsIn(text);
  if (typeof at !== 'string' || typeof by !== 'string') return undefined;
  return { at, login: by, isApprover: approver === true, isEarlier: earlier === true };
}

/** Without a desk everybody on the machine may. */
export const mayRelax = (stamp: Stamp | undefined): boolean => stamp?.isApprover !== false;
