import { describe, expect, it } from 'vitest';
import { isLongConversation } from '../../src/main/connections.ts';

describe('the transport of a command', () => {
  it.each([
    'watch',
    '--profile desk watch USDTNGN',
    'batch payouts.txt',
    'wait 7c1e',
    '-q --json wait 7c1e',
    'positions --watch',
    'price USDTNGN --watch=5',
  ])('is undici for the long conversation "hedge %s"', (line) => {
    expect(isLongConversation(line.split(' '))).toBe(true);
  });

  it.each([
    'quote USDTNGN buy 10k',
    'open USDTNGN buy 10k 3d --yes',
    'open USDTNGN buy 10k 3d --yes --timeout 60',
    '--profile watch positions',
    'hedges -- --watch',
    '',
  ])('is node:http for the single command "hedge %s"', (line) => {
    expect(isLongConversation(line.split(' ').filter((word) => word !== ''))).toBe(false);
  });
});
