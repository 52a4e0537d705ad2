import { type TestRedis, testRedis } from '@crm/testing';
import { type Answer, PASSWORD, TestIdentity } from './identity.js';

/** Two processes of the service on one database, which count their limits together in Redis. */
export class TestReplicas {
  private calls = 0;

  private constructor(
    private readonly redis: TestRedis,
    readonly first: TestIdentity,
    readonly second: TestIdentity,
  ) {}

  static async start(changes: NonNullable<Parameters<typeof TestIdentity.start>[0]> = {}): Promise<TestReplicas> {
    const redis = await testRedis();
    // Each would count by itself for a while if the server were late on a busy machine.
    const settings = { ...changes.settings, limits: { redisUrl: redis.url, answerMs: 20_000 } };
    const first = await TestIdentity.start({ ...changes, settings });
    return new TestReplicas(redis, first, await first.replica());
  }

  async close(): Promise<void> {
    await this.second.close();
    await this.first.close();
    this.redis.stop();
  }

  /** Calls the replicas in turn. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    this.calls += 1;
    const replica = this.calls % 2 === 0 ? this.first : this.second;
    return replica.request('POST', path, { body, headers });
  }

  login(email: string, password = PASSWORD, headers?: Record<string, string>): Promise<Answer> {
    return this.post('/api/auth/login', { email, password }, headers);
  }

  /** Makes a call many times at once, by turns at both replicas, each from an address of its own. @returns the statuses */
  async storm(count: number, path: string, bodyOf: (index: number) => unknown): Promise<number[]> {
    const answers = Array.from({ length: count }, (_, index) => this.post(path, bodyOf(index), from(index)));
    return (await Promise.all(answers)).map(({ status }) => status);
  }
}

/** The address of one of many clients behind the trusted proxy. */
export const from = (index: number): Record<string, string> => ({
  'x-forwarded-for': `203.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
});

/** How often each status was answered. */
export function tally(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
