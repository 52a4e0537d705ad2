import { randomUUID } from 'node:crypto';
import { authorize, type Principal } from '@crm/access';
import { AUDIENCES, type ErrorCode, PlatformError, type RpcContract, type RpcRequest, rpc } from '@crm/contracts';
import type { RpcContext } from '@crm/messaging';
import { answerRpc, testTokens } from '@crm/testing';
import type { Static, TSchema } from 'typebox';

/** Something that waits until a test lets it go on. */
export class Gate {
  readonly opened: Promise<void>;
  open: () => void;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}

type Handler<Request extends TSchema, Response extends TSchema> = (
  request: Static<Request>,
) => Static<Response> | Promise<Static<Response>>;

/** What a neighbour was asked, in order. */
export interface Call {
  readonly name: string;
  readonly request: unknown;
  /** For whom: kind and id of the token's holder, where the call carries one. */
  readonly principal?: { readonly kind: string; readonly userId: string; readonly tenantId: string };
}

/** The services around the marketplace, as far as it calls them. They keep what was put in place, by installation. */
export class Neighbours {
  readonly objects = new Set<string>();
  readonly workflows = new Map<string, { key: string; workflowId: string; url: string }[]>();
  readonly subscriptions = new Map<string, string>();
  readonly calls: Call[] = [];
  private readonly overrides = new Map<string, (request: never) => unknown>();
  private readonly end = new Gate();
  private readonly stops: (() => Promise<void>)[] = [];

  static async start(): Promise<Neighbours> {
    const neighbours = new Neighbours();
    await neighbours.answerAll();
    return neighbours;
  }

  /** Another answer from now on: `objects.provision`, `workflows.remove` … as in the subject. */
  instead<Request extends TSchema, Response extends TSchema>(
    contract: RpcContract<Request, Response>,
    handler: Handler<Request, Response>,
  ): void {
    this.overrides.set(contract.subject, handler as (request: never) => unknown);
  }

  /** An error from now on. */
  refuse(contract: { readonly subject: string }, code: ErrorCode, detail?: string): void {
    this.overrides.set(contract.subject, () => {
      throw new PlatformError(code, detail);
    });
  }

  /** No answer at all, as long as the neighbours are there. */
  async silence(): Promise<never> {
    await this.end.opened;
    throw new Error('The neighbours are closed');
  }

  /** The second step of installations waits from now on until the gate is opened. */
  holdWorkflows(): Gate {
    const gate = new Gate();
    this.instead(rpc.automations.provisionWorkflows, async (request) => {
      await gate.opened;
      return this.provisionWorkflows(request);
    });
    return gate;
  }

  /** The usual answers again, and no calls noted. */
  reset(): void {
    this.overrides.clear();
    this.calls.length = 0;
  }

  callsTo(contract: { readonly subject: string }): unknown[] {
    return this.calls.filter(({ name }) => name === contract.subject).map(({ request }) => request);
  }

  /** From now on those whom identity mints tokens for are members only. */
  demote(): void {
    this.instead(rpc.identity.mintInternalToken, (request) => this.mint(request, ['member']));
  }

  /** Everything that any neighbour holds for an installation. */
  holds(installationId: string): string[] {
    return [
      ...(this.objects.has(installationId) ? ['objects'] : []),
      ...(this.workflows.has(installationId) ? ['workflows'] : []),
      ...(this.subscriptions.has(installationId) ? ['subscriptions'] : []),
    ];
  }

  async close(): Promise<void> {
    this.end.open();
    await Promise.all(this.stops.map((stop) => stop()));
  }

  private async answer<Request extends TSchema, Response extends TSchema>(
    contract: RpcContract<Request, Response>,
    handler: Handler<Request, Response>,
  ): Promise<void> {
    const answering = await answerRpc(contract, (request, context: RpcContext) => {
      const { principal } = context;
      this.calls.push({
        name: contract.subject,
        request,
        ...(principal && {
          principal: { kind: principal.kind, userId: principal.userId, tenantId: principal.tenantId },
        }),
      });
      // What is done for a user is done for administrators only, as with the real ones.
      if (contract.principal === 'user') authorize(context.principal as Principal, { right: 'administer' });
      const override = this.overrides.get(contract.subject) as Handler<Request, Response> | undefined;
      return (override ?? handler)(request);
    });
    this.stops.push(() => answering.close());
  }

  private async answerAll(): Promise<void> {
    await this.answer(rpc.identity.getTenant, ({ tenantId }) => ({
      id: tenantId,
      name: `Workspace ${tenantId.slice(-4)}`,
      plan: 'developer' as const,
      timeZone: 'UTC',
      country: null,
    }));
    await this.answer(rpc.identity.mintInternalToken, (request) => this.mint(request, ['admin']));
    await this.answer(rpc.identity.recordAct, () => ({}));
    await this.answer(rpc.identity.updateEmbedSettings, () => ({ updated: true }));
    await this.answer(rpc.identity.issueEmbedCredentials, () => ({ clientId: 'client' }));
    await this.answer(rpc.identity.describeEmbedCredentials, () => ({ credentials: null }));
    await this.answer(rpc.identity.revokePreviousEmbedSecret, () => ({ revoked: true }));
    await this.answer(rpc.identity.endEmbedCredentials, () => ({ ended: true }));
    await this.answer(rpc.identity.updateOAuthApp, () => ({}));
    await this.answer(rpc.identity.setOAuthAppStatus, () => ({}));
    await this.answer(rpc.identity.registerOAuthInstallation, () => ({}));
    await this.answer(rpc.identity.endOAuthInstallation, () => ({}));
    await this.answer(rpc.identity.issueOAuthCredentials, () => ({
      clientId: 'client',
      previousSecretValidUntil: null,
    }));
    await this.answer(rpc.identity.describeOAuthCredentials, () => ({ credentials: null }));
    await this.answer(rpc.identity.revokePreviousOAuthSecret, () => ({ revoked: true }));
    await this.answer(rpc.customObjects.provisionObjects, (request) => this.provisionObjects(request));
    await this.answer(rpc.customObjects.removeObjects, ({ installationId }) => ({
      removed: Number(this.objects.delete(installationId)),
    }));
    await this.answer(rpc.automations.provisionWorkflows, (request) => this.provisionWorkflows(request));
    await this.answer(rpc.automations.removeWorkflows, ({ installationId }) => ({
      removed: Number(this.workflows.delete(installationId)),
    }));
    await this.answer(rpc.automations.listHooks, ({ installationId }) => ({
      hooks: this.workflows.get(installationId) ?? [],
    }));
    await this.answer(rpc.webhooks.provisionSubscriptions, (request) => this.provisionSubscriptions(request));
    await this.answer(rpc.webhooks.removeSubscriptions, ({ installationId }) => ({
      removed: Number(this.subscriptions.delete(installationId)),
    }));
    await this.answer(rpc.webhooks.rotateAppSecret, () => ({ updated: 0 }));
    await this.answer(rpc.webhooks.listAppDeliveries, () => ({ deliveries: [], counted: 0 }));
    await this.answer(rpc.webhooks.findAppDelivery, () => ({ found: null }));
    await this.answer(rpc.webhooks.countAppDeliveries, () => ({ hours: [] }));
  }

  private async mint({ tenantId, userId }: RpcRequest<typeof rpc.identity.mintInternalToken>, roles: string[]) {
    const claims = { aud: AUDIENCES.internal, sub: userId, tid: tenantId, roles, sid: undefined };
    return { token: await testTokens().sign(claims), expiresIn: 60 };
  }

  provisionObjects({ installationId, sandbox, objects }: RpcRequest<typeof rpc.customObjects.provisionObjects>) {
    this.objects.add(installationId);
    return {
      objects: objects.map(({ apiName }) => ({
        declaredApiName: String(apiName),
        apiName: sandbox ? `sbx_${apiName}` : String(apiName),
      })),
    };
  }

  provisionWorkflows({ installationId, automations }: RpcRequest<typeof rpc.automations.provisionWorkflows>) {
    const hooks =
      this.workflows.get(installationId) ??
      automations.map(({ key }) => {
        const workflowId = randomUUID();
        return { key: String(key), workflowId, url: `https://crm.example/hooks/${workflowId}/secret` };
      });
    this.workflows.set(installationId, hooks);
    return { hooks };
  }

  provisionSubscriptions({ installationId, secret, webhooks }: RpcRequest<typeof rpc.webhooks.provisionSubscriptions>) {
    this.subscriptions.set(installationId, secret);
    return { subscriptions: webhooks.map(({ url, events }) => ({ id: randomUUID(), url, events })) };
  }
}
