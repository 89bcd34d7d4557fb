/** Hedges of a side that settle about now: a size that was computed from the position would be wrong. */
import { describe, expect, it } from 'vitest';
import { hintText } from '../../src/domain/hint.ts';
import { isMeasured, settlingFindings } from '../../src/trading/evaluate.ts';
import type { Body } from '../spec/bodies.ts';
import { hedge, NOON, sideBook } from './facts.ts';

const due = (seconds: number): string => new Date(NOON.getTime() + seconds * 1_000).toISOString();
const LATER = hedge('hdg_B', 30_000, { maturity_at: due(86_400) });
const found = (...changes: readonly Body[]) =>
  settlingFindings(
    sideBook({ hedges: [LATER, ...changes.map((each, at) => hedge(`hdg_${at}`, 10_000, each))] }),
  );

describe('a hedge of the side', () => {
  it.each<[string, Body, boolean]>([
    ['that matures in a minute', { maturity_at: due(60) }, true],
    ['that matures in more than a minute', { maturity_at: due(61) }, false],
    ['that matures now', { maturity_at: due(0) }, true],
    ['that matured half a minute ago and is listed as filled', { maturity_at: due(-30) }, true],
    ['that matured half a minute ago and is closed', { maturity_at: due(-30), status: 'closed' }, false],
    ['that matured half a minute ago, in an unknown status', { maturity_at: due(-30), status: 'x' }, true],
    ['that matured two minutes ago and stays filled', { maturity_at: due(-120) }, false],
    ['that is closed before its maturity', { maturity_at: due(30), status: 'closed' }, false],
    ['that failed', { maturity_at: due(30), status: 'failed' }, false],
    ['that has not filled, and is named as such', { maturity_at: due(30), status: 'submitted' }, false],
  ])('%s: stops it, %j, %s', (_, changes, stops) => {
    expect(found(changes).length > 0).toBe(stops);
  });

  it('is named, with the time after which the size is certain, of several the last', () => {
    const [stop] = found({ maturity_at: due(5) }, { maturity_at: due(40) }, { maturity_at: due(-20) });
    expect(stop).toMatchObject({
      level: 'stop',
      code: 'in_flight',
      message: expect.stringContaining('30,000.00 USD in total, may settle before this executes'),
      details: { hedge_ids: ['hdg_0', 'hdg_1', 'hdg_2'] },
    });
    expect(hintText(stop?.hint)).toBe('Try again after 2026-11-20 12:01:40 UTC.');
  });
});

describe('a size', () => {
  it.each([
    ['reduce', 'by 50%', true],
    ['reduce', 'to 5000', true],
    ['reduce', 'ngn 45000000', true],
    ['add', 'to 50000', true],
    ['add', 'ngn 45000000', false],
    ['open', 'max', false],
    ['reduce', undefined, false],
    ['close', undefined, false],
  ] as const)('of %s, given as %s, is computed from the position: %s', (action, asked, is) => {
    expect(isMeasured(action, asked)).toBe(is);
  });
});
