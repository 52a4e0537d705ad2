import type { ApiClient } from './client.js';

/** Someone of the workspace. */
export interface Person {
  readonly id: string;
  readonly name: string;
  /** Null for a host user whose address someone else in the workspace has. */
  readonly email: string | null;
}

/** The people of the workspace, for users; embedded ones and apps cannot list them. */
export class PeopleApi {
  constructor(private readonly client: ApiClient) {}

  /** Those whose name or address has a word that begins so; disabled ones are not offered. */
  async search(q: string, signal?: AbortSignal): Promise<readonly Person[]> {
    const query = { size: 8, status: 'active' as const, ...(q ? { q } : {}) };
    const { data } = await this.client.GET('/api/tenant/users', { params: { query }, signal });
    return data?.data ?? [];
  }

  /** @returns undefined for someone who is not there any more */
  async find(id: string, signal?: AbortSignal): Promise<Person | undefined> {
    const query = { ids: [id] };
    const { data } = await this.client.GET('/api/tenant/users', { params: { query }, signal });
    return data?.data[0];
  }
}
