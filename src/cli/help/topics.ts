/** What `hedge help` knows besides commands: names alone, for lists; the texts are loaded when one is asked for. */
import type { Page } from './page.ts';
export interface HelpTopic {
  name: string;
  summary: string;
  load(): Promise<Page>;
}

/** `hedge help topics`, which lists them. */
export const TOPICS = { name: 'topics', summary: 'which topics there are' } as const;

export const HELP_TOPICS: readonly HelpTopic[] = [
  {
    name: 'exit-codes',
    summary: 'what a command ended with, and whether the book changed',
    load: async () => (await import('./topic-exit-codes.ts')).exitCodesTopic,
  },
  {
    name: 'environment',
    summary: 'the variables that hedge reads, and where files live',
    load: async () => (await import('./topic-environment.ts')).environmentTopic,
  },
  {
    name: 'keys',
    summary: 'where keys come from, which profile wins, limits, TLS',
    load: async () => (await import('./topic-keys.ts')).keysTopic,
  },
  {
    name: 'json',
    summary: 'the document of --json, its errors, --query, --csv',
    load: async () => (await import('./topic-json.ts')).jsonTopic,
  },
  {
    name: 'practice',
    summary: 'learning with no money, and with trouble of your choice',
    load: async () => (await import('./topic-practice.ts')).practiceTopic,
  },
  {
    name: 'scripting',
    summary: 'dealing from scripts and cron, safe to run again',
    load: async () => (await import('./topic-scripting.ts')).scriptingTopic,
  },
];
