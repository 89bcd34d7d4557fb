/**
 * Hunts a key in bytes: as it is, in capitals or small letters, and as base64, percent-encoding, hexadecimal digits or
 * UTF-16 would hide it.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Shorter parts of a key are shown on purpose: its kind and its last four characters. */
const SHORTEST_PART = 8;

const secretOf = (key: string): string => key.replace(/^[A-Za-z0-9]+_(live|test)_/, '');

function partsOf(key: string): readonly string[] {
  const secret = secretOf(key);
  const parts: string[] = [];
  for (let at = 0; at + SHORTEST_PART <= secret.length; at += 1)
    parts.push(secret.slice(at, at + SHORTEST_PART));
  return parts;
}

/** Every part of the key's secret that must be nowhere, in every form. */
export function formsOf(key: string): readonly string[] {
  const secret = secretOf(key);
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.from('x'.repeat(before) + key).toString('base64');
    // What stands beside the key makes the first and the last characters others.
    return text.slice(4, -4);
  });
  const hexadecimal = Buffer.from(secret).toString('hex');
  return [
    ...partsOf(key),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    hexadecimal,
    hexadecimal.replace(/../g, '%$&'),
    hexadecimal.toUpperCase().replace(/../g, '%$&'),
    Buffer.from(secret, 'utf16le').toString('latin1'),
  ];
}

/** Whether any of it is in there. */
export function holdsCanary(key: string, bytes: string | Buffer): boolean {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  return formsOf(key).some((form) => text.includes(form)) || holdsInAnyCase(key, text);
}

function holdsInAnyCase(key: string, text: string): boolean {
  const small = text.toLowerCase();
  return partsOf(key).some((part) => small.includes(part.toLowerCase()));
}

/** Files below the folder that hold any of it, by their path from there. */
export const filesWithCanary = (key: string, folder: string): readonly string[] =>
  filesBelow(folder)
    .filter((path) => holdsCanary(key, path) || holdsCanary(key, readFileSync(path)))
    .map((path) => relative(folder, path));

/** Regular files below the folder, whole paths. */
export const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile())
    .toSorted();
