import { type RpcRequest, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { expect } from '@jest/globals';
import { type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

/** What the stand-in for custom-objects was asked to create, and by whom. */
export type Created = RpcRequest<typeof rpc.customObjects.createRecord> & {
  tenantId: string | undefined;
  roles: readonly string[];
  token: string | undefined;
};

/** The service with a stand-in for custom-objects that remembers what runs ask of it, and a tenant for each test. */
export class RunsWorld {
  readonly updated: RpcRequest<typeof rpc.customObjects.updateRecord>[] = [];
  /** How the stand-in answers; that of a new test lets everything be created. */
  answerCreate: (request: Created) => { id: string } | Promise<{ id: string }> = () => ({ id: newId() });
  private readonly requests: Created[] = [];

  private constructor(
    readonly world: World,
    public service: Service,
    public tenant: Tenant,
  ) {}

  static async start(): Promise<RunsWorld> {
    const world = await startWorld();
    const service = await world.start();
    const runs = new RunsWorld(world, service, await tenantOn(world, service));
    await world.answer(rpc.customObjects.createRecord, (request, { principal }) => {
      const { tenantId, roles = [], token } = principal ?? {};
      const seen = { ...request, tenantId, roles, token };
      runs.requests.push(seen);
      return runs.answerCreate(seen);
    });
    await world.answer(rpc.customObjects.updateRecord, (request) => {
      runs.updated.push(request);
      return { id: request.id };
    });
    return runs;
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
    await this.service.close();
    await this.world.close();
  }
}
