/**
 * A folder as a disk has it: changed by the system calls of a program, and what of it is still there after the power was
 * cut, when only what was synced is certain.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SystemCall } from './strace-log.ts';

/** Bytes at an offset, or the new length. */
type Edit = { at: number; bytes: Buffer } | { length: number };

/** Bytes that can be changed and grow. */
class Content {
  #memory: Buffer;
  #length: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#memory = Buffer.from(bytes);
    this.#length = bytes.length;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  apply(change: Edit): void {
    if ('length' in change) this.#resize(change.length);
    else {
      this.#resize(Math.max(this.#length, change.at + change.bytes.length));
      change.bytes.copy(this.#memory, change.at);
    }
  }

  #resize(length: number): void {
    if (length > this.#memory.length) {
      const memory = Buffer.alloc(length * 2);
      this.bytes.copy(memory);
      this.#memory = memory;
    }
    this.#memory.fill(0, Math.min(length, this.#length), Math.max(length, this.#length));
    this.#length = length;
  }
}

interface DiskFile {
  mode: number;
  content: Content;
  synced: Content;
  /** Since the last sync. */
  edits: Edit[];
}

interface DiskFolder {
  mode: number;
  entries: Map<string, DiskNode>;
  synced: ReadonlyMap<string, DiskNode>;
  /** The entries after each change since the last sync. */
  later: ReadonlyMap<string, DiskNode>[];
}

type DiskNode = DiskFile | DiskFolder;

/** A folder as it was read. `content`: bytes of a file, or entries of a folder. */
export interface FolderFiles {
  mode: number;
  entries: ReadonlyMap<string, { mode: number; content: Buffer | FolderFiles['entries'] }>;
}

export function filesBelow(path: string): FolderFiles {
  const entries = new Map<string, { mode: number; content: Buffer | FolderFiles['entries'] }>();
  for (const name of readdirSync(path)) {
    const child = join(path, name);
    const stats = lstatSync(child);
    const mode = stats.mode & 0o777;
    if (stats.isDirectory()) entries.set(name, { mode, content: filesBelow(child).entries });
    else if (stats.isFile()) entries.set(name, { mode, content: readFileSync(child) });
  }
  return { mode: lstatSync(path).mode & 0o777, entries };
}

/**
 * What survives a power cut. `everything`: as after a kill. `synced`: nothing else. A function gives numbers from 0 to 1, by
 * which each sector of 512 bytes that was not synced is there or not, and the names in a folder are those of some moment since.
 */
export type Survival = 'everything' | 'synced' | (() => number);

const SECTOR = 512;

const isFolder = (node: DiskNode | undefined): node is DiskFolder => node !== undefined && 'entries' in node;

export class DiskModel {
  readonly root: string;
  readonly #top: DiskFolder;
  /** Open files and folders below the root, and the path by which they were opened. */
  readonly #open = new Map<number, { node: DiskNode; path: string }>();

  /** `root`: absolute. `files`: what is on the disk. */
  constructor(root: string, files: FolderFiles = filesBelow(root)) {
    this.root = root;
    this.#top = folderOf(files);
  }

  /** The path below the root that a call is about, `.` for the root itself; undefined for anything else. */
  pathOf(call: SystemCall): string | undefined {
    if (call.fd !== undefined && !AT.has(call.name)) return this.#open.get(call.fd)?.path;
    return call.quoted.length === 0 ? undefined : this.#pathsOf(call)[0];
  }

  /** Whether it changes a file or a folder below the root, or syncs one. */
  changes(call: SystemCall): boolean {
    const { name, text } = call;
    if (/^(close|f?access(at)?)$/.test(name) || (name === 'openat' && !/O_CREAT|O_TRUNC/.test(text)))
      return false;
    return this.pathOf(call) !== undefined;
  }

  /** A call that returned. @throws Error for one that the model does not know. */
  apply(call: SystemCall): void {
    if (call.result === undefined || call.result < 0) return;
    if (call.name === 'openat') this.#opened(call, call.result);
    else if (call.name === 'close') this.#open.delete(call.fd ?? -1);
    else if (this.changes(call)) this.#changed(call);
  }

  /** Paths of files below `folder` with bytes that a power cut could lose, or with a name that it could. */
  unsynced(folder: string): readonly string[] {
    const at = this.#nodeAt(folder);
    if (!isFolder(at)) return [];
    return [...at.entries]
      .filter(([name, node]) => at.synced.get(name) !== node || (!isFolder(node) && node.edits.length > 0))
      .map(([name]) => join(folder, name));
  }

  /** Writes what survives to `target`, which is emptied first. */
  write(target: string, survival: Survival): void {
    rmSync(target, { recursive: true, force: true });
    writeNode(target, this.#top, survival);
  }

  /** Names of files that are not in the folder of the program as they are here; `but`: what is not compared. */
  differences(but: RegExp): readonly string[] {
    return differing(this.#top, folderOf(filesBelow(this.root)), '').filter((path) => !but.test(path));
  }

  #opened({ fd, quoted, text }: SystemCall, result: number): void {
    const [path] = this.#below(fd, quoted);
    this.#open.delete(result);
    if (path === undefined) return;
    let node = this.#nodeAt(path);
    if (node === undefined) {
      if (!text.includes('O_CREAT')) throw new Error(`${path} was opened and is not there`);
      const mode = Number.parseInt(/, 0(\d+)$/.exec(text.replace(/\)$/, ''))?.[1] ?? '600', 8);
      node = { mode, content: new Content(), synced: new Content(), edits: [] };
      this.#name(path, node);
    } else if (text.includes('O_TRUNC') && !isFolder(node)) edit(node, { length: 0 });
    this.#open.set(result, { node, path });
  }

  #changed(call: SystemCall): void {
    const { name, fd, quoted, text, result = 0 } = call;
    const node = fd === undefined || AT.has(name) ? undefined : this.#open.get(fd)?.node;
    const numbers = text.match(/\b\d+\b/g) ?? [];
    const last = Number(numbers.at(-1) ?? 0);
    const [path = '', to = ''] = node === undefined ? this.#pathsOf(call) : [];
    if (/^p?writev?(64|2)?$/.test(name) && node !== undefined && !isFolder(node)) {
      const bytes = Buffer.concat(quoted).subarray(0, result);
      // Without an offset of its own it is taken for an append: the program writes its files once, from the beginning.
      edit(node, { at: name.startsWith('p') ? last : node.content.bytes.length, bytes });
    } else if (/^f(data)?sync$/.test(name) && node !== undefined) {
      if (!call.isInjected) sync(node);
    } else if (name === 'ftruncate' && node !== undefined && !isFolder(node)) edit(node, { length: last });
    else if (name === 'fchmod' && node !== undefined)
      node.mode = Number.parseInt(text.split(/, ?/)[1] ?? '', 8);
    else if (/^f?chmod(at)?$/.test(name)) {
      const found = this.#nodeAt(path);
      if (found !== undefined) found.mode = Number.parseInt(/\b0\d+/.exec(text)?.[0] ?? '600', 8);
    } else if (/^mkdir(at)?$/.test(name)) this.#name(path, emptyFolder(0o700));
    else if (/^(unlink|rmdir|unlinkat)$/.test(name)) this.#name(path, undefined);
    else if (/^link(at)?$/.test(name)) this.#name(to, this.#nodeAt(path));
    else if (/^rename(at|at2)?$/.test(name)) this.#name(to, this.#nodeAt(path), path);
    else throw new Error(`the model of the disk does not know ${name}(${text})`);
  }

  /** `node`: undefined for a name that goes. `gone`: the former name of the same file, which goes with it, at once. */
  #name(path: string, node: DiskNode | undefined, gone?: string): void {
    const [folder, name] = this.#placeOf(path);
    if (gone !== undefined) {
      const [from, former] = this.#placeOf(gone);
      if (from !== folder) throw new Error(`${gone} was moved to another folder`);
      folder.entries.delete(former);
    }
    if (node === undefined) folder.entries.delete(name);
    else folder.entries.set(name, node);
    folder.later.push(new Map(folder.entries));
  }

  #placeOf(path: string): [folder: DiskFolder, name: string] {
    const parts = path.split('/');
    const folder = this.#nodeAt(parts.slice(0, -1).join('/') || '.');
    if (!isFolder(folder)) throw new Error(`${path} is in no folder`);
    return [folder, parts.at(-1) ?? ''];
  }

  #nodeAt(path: string): DiskNode | undefined {
    let node: DiskNode | undefined = this.#top;
    for (const part of path === '.' ? [] : path.split('/'))
      node = isFolder(node) ? node.entries.get(part) : undefined;
    return node;
  }

  #pathsOf({ name, fd, quoted, text }: SystemCall): readonly (string | undefined)[] {
    if (!AT.has(name)) return this.#below(undefined, quoted);
    // Each path has the folder that it is below before it.
    const folders = text.split(/, ?/).flatMap((part, at, all) => (all[at + 1] === '""' ? [part] : []));
    const fds = folders.map((each) => (/^\d+$/.test(each) ? Number(each) : undefined));
    return quoted.map((each, at) => this.#below(fds[at] ?? (at === 0 ? fd : undefined), [each])[0]);
  }

  /** `fd`: the folder that relative paths are below. */
  #below(fd: number | undefined, quoted: readonly Buffer[]): readonly (string | undefined)[] {
    const from = fd === undefined ? undefined : this.#open.get(fd)?.path;
    return quoted.map((each) => {
      const path = from === undefined ? each.toString() : resolve(this.root, from, each.toString());
      if (path === this.root) return '.';
      return path.startsWith(`${this.root}/`) ? path.slice(this.root.length + 1) : undefined;
    });
  }
}

/** Calls whose first argument is the folder of the path, not what is changed. */
const AT = new Set([
  'openat',
  'mkdirat',
  'unlinkat',
  'renameat',
  'renameat2',
  'linkat',
  'fchmodat',
  'symlinkat',
]);

const emptyFolder = (mode: number): DiskFolder => ({
  mode,
  entries: new Map(),
  synced: new Map(),
  later: [],
});

function folderOf({ mode, entries }: FolderFiles): DiskFolder {
  const folder = emptyFolder(mode);
  for (const [name, { mode: own, content }] of entries)
    folder.entries.set(
      name,
      Buffer.isBuffer(content)
        ? { mode: own, content: new Content(content), synced: new Content(content), edits: [] }
        : folderOf({ mode: own, entries: content }),
    );
  folder.synced = new Map(folder.entries);
  return folder;
}

function edit(file: DiskFile, change: Edit): void {
  file.content.apply(change);
  file.edits.push(change);
}

function sync(node: DiskNode): void {
  if (isFolder(node)) {
    node.synced = new Map(node.entries);
    node.later = [];
  } else {
    for (const each of node.edits) node.synced.apply(each);
    node.edits = [];
  }
}

function bytesOf(file: DiskFile, survival: Survival): Buffer {
  if (survival === 'everything') return file.content.bytes;
  if (survival === 'synced' || file.edits.length === 0) return file.synced.bytes;
  const content = new Content(file.synced.bytes);
  // All of it, none of it, or each sector as it was at some time.
  const kept = Math.floor(survival() * 3) / 2;
  const share = (): number => (kept === 0.5 ? survival() : kept);
  const shares = new Map<number, number>();
  for (const [index, change] of file.edits.entries()) {
    const isLater = (of: number): boolean => index >= of * file.edits.length;
    if ('length' in change) {
      if (!isLater(share())) content.apply(change);
      continue;
    }
    for (const [sector, part] of sectorsOf(change)) {
      const of = shares.get(sector) ?? share();
      shares.set(sector, of);
      if (!isLater(of)) content.apply(part);
    }
  }
  return content.bytes;
}

/** The parts of a write that are in a sector each. */
function* sectorsOf({ at, bytes }: { at: number; bytes: Buffer }): Generator<[number, Edit]> {
  for (let from = at; from < at + bytes.length; ) {
    const sector = Math.floor(from / SECTOR);
    const to = Math.min((sector + 1) * SECTOR, at + bytes.length);
    yield [sector, { at: from, bytes: bytes.subarray(from - at, to - at) }];
    from = to;
  }
}

function entriesOf(folder: DiskFolder, survival: Survival): ReadonlyMap<string, DiskNode> {
  if (survival === 'everything') return folder.entries;
  if (survival === 'synced') return folder.synced;
  const states = [folder.synced, ...folder.later];
  return states[Math.floor(survival() * states.length)] ?? folder.synced;
}

function writeNode(path: string, node: DiskNode, survival: Survival): void {
  if (isFolder(node)) {
    mkdirSync(path, { mode: 0o700 });
    for (const [name, child] of entriesOf(node, survival)) writeNode(join(path, name), child, survival);
  } else writeFileSync(path, bytesOf(node, survival), { mode: 0o600 });
  chmodSync(path, node.mode);
}

function differing(one: DiskNode | undefined, other: DiskNode | undefined, path: string): readonly string[] {
  if (isFolder(one) && isFolder(other))
    return [...new Set([...one.entries.keys(), ...other.entries.keys()])].flatMap((name) =>
      differing(one.entries.get(name), other.entries.get(name), join(path, name)),
    );
  const isSame =
    one !== undefined &&
    other !== undefined &&
    !isFolder(one) &&
    !isFolder(other) &&
    one.content.bytes.equals(other.content.bytes);
  return isSame ? [] : [path];
}
