/** The page of a report in a real browser: drawn, printed, and without a request that leaves it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reportPage } from '../../src/output/views/report-page.ts';
import { readReport } from '../../src/readings/read-report.ts';
import { readWholeAccount, saveSnapshot } from '../../src/readings/take-snapshot.ts';
import { ModelAccount } from '../support/model-account.ts';
import { DAY, HOUR } from '../support/model-service.ts';
import { anEvent } from '../support/random-day.ts';
import { needs } from '../support/tools.ts';

/** A month with a snapshot each night. */
async function aPage(): Promise<string> {
  const account = new ModelAccount({ seed: 11 });
  const { nowMs: ms } = account;
  for (let day = 0; day < 28; day += 1) {
    const { record } = await readWholeAccount(account.context(), { profile: 'desk' });
    await saveSnapshot(account.context(), record);
    anEvent(account, 0);
    account.pass(10 * HOUR);
    anEvent(account, 0);
    account.pass(DAY - 10 * HOUR);
  }
  const asked = { kind: 'span', since: { kind: 'instant', ms }, until: undefined } as const;
  const intent = { asked, by: 'deal', html: 'month.html', saves: false, note: undefined } as const;
  const report = await readReport(account.context(), intent, { zone: 'Africa/Lagos', profile: 'desk' });
  return reportPage(report, { profile: 'desk', environment: 'live' });
}

interface Browsed {
  /** Standard output of the option. */
  out: string;
  /** Addresses that the page asked for. */
  asked: readonly string[];
  /** The file that was made. */
  made: (name: string) => Buffer;
}

function browsed(page: string, option: (folder: string) => string): Browsed {
  const folder = mkdtempSync(join(tmpdir(), 'hedge-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [path, log] = [join(folder, 'page.html'), join(folder, 'net.json')];
  writeFileSync(path, page);
  const words = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--user-data-dir=${join(folder, 'user')}`,
    `--log-net-log=${log}`,
    option(folder),
    `file://${path}`,
  ];
  const { stdout, status } = spawnSync('chromium', words, { encoding: 'utf8', timeout: 300_000 });
  expect(status).toBe(0);
  const { events }: { events: readonly { params?: { initiator?: string; url?: string } }[] } = JSON.parse(
    readFileSync(log, 'utf8'),
  );
  return {
    out: stdout,
    // The browser has requests of its own; those of the page name it.
    asked: events.flatMap(({ params }) =>
      /^(file:|null)/.test(params?.initiator ?? '') ? [params?.url ?? ''] : [],
    ),
    made: (name) => readFileSync(join(folder, name)),
  };
}

describe('the page of a report', needs('chromium'), () => {
  it('is drawn with its tables and three charts, and asks for nothing', async () => {
    const { out, asked } = browsed(await aPage(), () => '--dump-dom');
    expect(out.match(/<svg /g)).toHaveLength(3);
    expect(out.match(/<table/g)).toHaveLength(2);
    expect(asked).toEqual([]);
  });

  it('is a picture with something on it, and prints', async () => {
    const page = await aPage();
    const picture = browsed(page, (folder) => `--screenshot=${join(folder, 'page.png')}`).made('page.png');
    expect(picture.toString('latin1', 1, 4)).toBe('PNG');
    // White paper alone compresses to a few kilobytes.
    expect(picture.length).toBeGreaterThan(20_000);
    const paper = browsed(page, (folder) => `--print-to-pdf=${join(folder, 'page.pdf')}`).made('page.pdf');
    expect(paper.toString('latin1', 0, 5)).toBe('%PDF-');
  });

  it('would be noticed if it asked for something', () => {
    const page = '<!doctype html><img src="https://partner.invalid/pixel.png">';
    expect(browsed(page, () => '--dump-dom').asked).toContain('https://partner.invalid/pixel.png');
  });
});
