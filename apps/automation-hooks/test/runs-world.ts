import { type RpcRequest, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

/** What the stand-in for custom-objects was asked to create, and by whom. */
export type Created = RpcRequest<typeof rpc.customObjects.createRecord> & {
  tenantId: string | undefined;
  roles: readonly string[];
  token: string | undefined;
};

/** The service with a stand-in for custom-objects that remembers what runs ask of it, and a tenant for each test. */
export class RunsWorld {
  world: World;
  service: Service;
  tenant: Tenant;
  readonly updated: RpcRequest<typeof rpc.customObjects.updateRecord>[] = [];
  /** How the stand-in answers; that of a new test lets everything be created. */
  answerCreate: (request: Created) => { id: string } | Promise<{ id: string }> = () => ({ id: newId() });
  private readonly requests: Created[] = [];

  async begin(settings: Parameters<World['start']>): Promise<void> {
    this.world = await startWorld();
    await this.world.answer(rpc.customObjects.createRecord, (request, { principal }) => {
      const { tenantId, roles = [], token } = principal ?? {};
      const seen = { ...request, tenantId, roles, token };
      this.requests.push(seen);
      return this.answerCreate(seen);
    });
    await this.world.answer(rpc.customObjects.updateRecord, (request) => {
      this.updated.push(request);
      return { id: request.id };
    });
    this.service = await this.world.start(...settings);
  }

  async beginTest(): Promise<void> {
    this.answerCreate = () => ({ id: newId() });
    this.tenant = await this.newTenant();
  }

  newTenant(): Promise<Tenant> {
    return tenantOn(this.world, this.service);
  }

  /** Starts a workflow through its hook and returns the id of the run. */
  async start(path: string, body: object): Promise<string> {
    const answer = await this.service.request<{ runId: string }>('POST', path, { body });
    expect(answer.status).toBe(202);
    return answer.body.runId;
  }

  /** What runs of the tenant asked to create. */
  created(): Created[] {
    return this.requests.filter(({ tenantId }) => tenantId === this.tenant.tenantId);
  }

  async close(): Promise<void> {
    await this.service?.close();
    await this.world?.close();
  }
}

/** Starts the service for the tests of a file. */
export function useRuns(...settings: Parameters<World['start']>): RunsWorld {
  const runs = new RunsWorld();
  beforeAll(() => runs.begin(settings));
  beforeEach(() => runs.beginTest());
  afterAll(() => runs.close());
  return runs;
}
