import { describe, expect, it, jest } from '@jest/globals';
import { HASH_POOL_DEFAULTS } from '../src/passwords/hash-pool.js';
import { PasswordService } from '../src/passwords/password.service.js';
import { fromElsewhere, newEmail, PASSWORD, TestIdentity } from './identity.js';

const WRONG = 'sable-turbine-forgets-amber';
const TIMES = 18;

// The cost of production: the time of a hash is what would tell.
const identity = TestIdentity.ofFile({ hashPool: { cost: HASH_POOL_DEFAULTS.cost } });

const login = (email: string, password = WRONG) => identity.login(email, password, fromElsewhere());

const register = (email: string) =>
  identity.request('POST', '/api/auth/register', {
    body: { email, password: PASSWORD, name: 'Somebody', workspace: { name: 'A workspace' } },
    headers: fromElsewhere(),
  });

const repeat = async <Result>(times: number, make: () => Promise<Result>): Promise<Result[]> => {
  const made: Result[] = [];
  for (let n = 0; n < times; n += 1) made.push(await make());
  return made;
};

/** Takes turns, so that whatever else the machine does slows all of them alike. @returns milliseconds of each kind */
async function timesOf<Kind extends string>(
  kinds: Readonly<Record<Kind, (turn: number) => Promise<unknown>>>,
): Promise<Record<Kind, number[]>> {
  const names = Object.keys(kinds) as Kind[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Kind, number[]>;
  for (let turn = 0; turn < TIMES; turn += 1) {
    // Another order each time, so that none always follows the same one.
    for (let index = 0; index < names.length; index += 1) {
      const name = names[(index + turn) % names.length]!;
      const begun = performance.now();
      await kinds[name](turn);
      times[name].push(performance.now() - begun);
    }
  }
  return times;
}

/** How likely one of the first takes longer than one of the second: 0.5 for the same distribution (Mann and Whitney's U). */
function chanceOfLonger(first: readonly number[], second: readonly number[]): number {
  const longer = first.flatMap((one) => second.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)));
  return longer.reduce<number>((sum, one) => sum + one, 0) / longer.length;
}

/** Two distributions that are one leave this range once in some hundred thousand runs; one more hash gives 0 or 1. */
const RANGE = [0.05, 0.95] as const;

function expectAlike(times: Readonly<Record<string, readonly number[]>>): void {
  const [[, reference], ...others] = Object.entries(times) as [string, readonly number[]][] as [
    [string, readonly number[]],
    ...[string, readonly number[]][],
  ];
  for (const [name, found] of others) {
    const chance = chanceOfLonger(found, reference);
    expect([name, chance >= RANGE[0] && chance <= RANGE[1] ? 'alike' : chance]).toEqual([name, 'alike']);
  }
}

describe('a refused sign-in', () => {
  it('takes the same time and the same hashes, no matter who has the address', async () => {
    const owner = await identity.account();
    const add =
      (password = PASSWORD) =>
      async () => {
        const email = newEmail();
        const body = { email, name: 'Somebody', password, roles: ['member'] };
        const { body: added } = await identity.post('/api/tenant/users', body, owner.accessToken);
        return { email, id: added.id };
      };
    const persons = await repeat(8, () => identity.account());
    const locals = await repeat(8, add());
    const disabled = await repeat(8, add());
    for (const { id } of disabled) await identity.changeUser(owner, id, { status: 'disabled' });
    const oneOf = (accounts: readonly { readonly email: string }[]) => (turn: number) =>
      login(accounts[turn % accounts.length]!.email);
    const kinds = {
      unknown: () => login(newEmail()),
      'a person': oneOf(persons),
      'a local account': oneOf(locals),
      'a disabled one, with the right password': (turn: number) =>
        login(disabled[turn % disabled.length]!.email, PASSWORD),
    };
    expectAlike(await timesOf(kinds));

    const passwords = identity.get(PasswordService);
    const spies = [jest.spyOn(passwords, 'matches'), jest.spyOn(passwords, 'claimKey'), jest.spyOn(passwords, 'hash')];
    for (const [name, attempt] of Object.entries(kinds)) {
      for (const spy of spies) spy.mockClear();
      await attempt(0);
      expect([name, ...spies.map((spy) => spy.mock.calls.length)]).toEqual([name, 1, 1, 0]);
    }
  }, 120_000);
});

describe('a registration', () => {
  it('takes the same time and says the same, whether the address has an account or not', async () => {
    const persons = await repeat(TIMES, () => identity.account());
    const kinds = {
      free: () => register(newEmail()),
      taken: (turn: number) => register(persons[turn]!.email),
    };
    expectAlike(await timesOf(kinds));
    const said = async (email: string) => {
      const { status, body } = await register(email);
      return JSON.stringify([status, body])
        .replaceAll(email, 'address')
        .replace(/[\da-f-]{36}/g, 'id');
    };
    expect(await said(persons[0]!.email)).toBe(await said(newEmail()));
  }, 120_000);
});
