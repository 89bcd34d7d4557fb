/** The address of a desk's log, as people write it and as hedge shows it. */
import { describe, expect, it } from 'vitest';
import { addressText, readLogAddress } from '../../src/desk/address.ts';
import { UsageError } from '../../src/errors.ts';

describe('the address of a desk', () => {
  it.each<[string, object, string]>([
    [
      'postgres://ada@db.example.com/hedge',
      { host: 'db.example.com', port: 5_432, database: 'hedge', user: 'ada' },
      'postgres://db.example.com/hedge',
    ],
    [
      'postgresql://db.example.com:6432/hedge?sslmode=verify-full',
      { host: 'db.example.com', port: 6_432, user: undefined },
      'postgres://db.example.com:6432/hedge',
    ],
    ['postgres://ada@[::1]/hedge', { host: '::1' }, 'postgres://[::1]/hedge'],
    [
      'postgres://ada%40lagos@db/the%20desk',
      { user: 'ada@lagos', database: 'the desk' },
      'postgres://db/the%20desk',
    ],
    [
      'postgres://ada@/hedge?host=/var/run/postgresql',
      { host: '/var/run/postgresql', port: 5_432, user: 'ada' },
      'postgres://localhost/hedge?host=/var/run/postgresql',
    ],
    [
      'postgres://ada@:5599/hedge?sslmode=verify-full&host=/run/the%20db',
      { host: '/run/the db', port: 5_599, user: 'ada' },
      'postgres://localhost:5599/hedge?host=/run/the%20db',
    ],
    [
      'postgres:///hedge?host=/tmp',
      { host: '/tmp', user: undefined },
      'postgres://localhost/hedge?host=/tmp',
    ],
    [
      'postgres://ada@localhost:5599/hedge?host=%2Ftmp',
      { host: '/tmp', port: 5_599, user: 'ada' },
      'postgres://localhost:5599/hedge?host=/tmp',
    ],
  ])('%s is read, and shown without a login as one that can be read again', (text, address, shown) => {
    const read = readLogAddress(text);
    expect(read).toMatchObject(address);
    expect(addressText(read)).toBe(shown);
    expect(readLogAddress(shown)).toEqual({ ...read, user: undefined });
  });

  it.each([
    ['db.example.com/hedge', 'does not begin with postgres://'],
    ['postgres:///hedge', 'names no host'],
    ['postgres://ada@/hedge', 'cannot be read'],
    ['postgres://db.example.com', 'names no database'],
    ['postgres://db.example.com/one/two', 'names no database'],
    ['postgres://ada:secret@db.example.com/hedge', 'must not contain a password'],
    ['postgres://ada:secret@/hedge?host=/tmp', 'must not contain a password'],
    ['postgres://db.example.com/hedge?sslmode=disable', '"sslmode" is not an option'],
    ['postgres://db.example.com/hedge?host=elsewhere', '"host" is not an option'],
    ['postgres://db.example.com/%zz', 'cannot be read'],
  ])('%s is refused: it %s', (text, why) => {
    expect(() => readLogAddress(text)).toThrow(UsageError);
    expect(() => readLogAddress(text)).toThrow(why);
  });
});
