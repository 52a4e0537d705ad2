import { setTimeout as delay } from 'node:timers/promises';
import type { Principal } from '@crm/access';
import { type AppNotice, isErrorCode, PlatformError, type ProvisionedHook, rolesAllow, rpc } from '@crm/contracts';
import { Database, IdempotencyService, type IdempotentCall, newId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { storedText } from '../catalogue/catalogue.repository.js';
import { MARKETPLACE_CONFIG, type MarketplaceConfig } from '../config.js';
import { grantScopes } from './grants.js';
import type {
  ConsentPreviewView,
  InstallationQuery,
  InstallationView,
  InstallInput,
  NoticeView,
} from './installation.dto.js';
import {
  type HookRef,
  INSTALLATION_STATES,
  type Installation,
  type InstallationState,
  type InstallationStep,
  LIVE_STATES,
} from './installation.entity.js';
import {
  InstallationRepository,
  InstallationWorkRepository,
  LeaseLostError,
  type WorkLease,
} from './installation.repository.js';
import type { SagaOutcome } from './installation.saga.js';
import { InstallationWorker } from './installation.worker.js';
import { consentNotices, NO_STANDING, type Standing, standingNotices } from './notices.js';
import { OfferService } from './offer.service.js';
import { neededSteps } from './package-step.service.js';

/** A hook as it is shown: with its address only to administrators. */
export type ShownHook = HookRef & { readonly url?: string };

const CONCURRENCY = 8;

/** Shows the addresses of hooks. They hold a secret, so the audit trail records every user who sees them. */
@Injectable()
export class HookAddressService {
  private readonly logger = new Logger(HookAddressService.name);

  constructor(
    private readonly database: Database,
    private readonly installations: InstallationRepository,
    private readonly rpc: Rpc,
  ) {}

  /**
   * Returns the hooks of installations, by the id of the installation. While automation-hooks is away, the addresses are
   * missing.
   */
  async show(principal: Principal, shown: readonly Installation[]): Promise<Map<string, ShownHook[]>> {
    const result = new Map<string, ShownHook[]>(shown.map(({ id, hooks }) => [id, hooks]));
    if (!rolesAllow(principal.roles, 'administer')) return result;
    const withHooks = shown.filter(({ state, hooks }) => state === 'active' && hooks.length > 0);
    for (let start = 0; start < withHooks.length; start += CONCURRENCY) {
      const found = await Promise.all(
        withHooks
          .slice(start, start + CONCURRENCY)
          .map(async ({ id }) => [id, await this.findHooks(principal, id)] as const),
      );
      for (const [id, hooks] of found) if (hooks) result.set(id, hooks);
    }
    await this.record(
      principal,
      withHooks.filter(({ id }) => result.get(id)?.some(({ url }) => url)),
    );
    return result;
  }

  /** Records that a user is about to see addresses; when this fails, they are not shown. */
  async record(principal: Principal, shown: readonly Pick<Installation, 'id'>[]): Promise<void> {
    if (shown.length === 0) return;
    const ids = shown.map(({ id }) => id);
    await this.database.transaction(principal.tenantId, (tx) =>
      this.installations.recordActs(tx, ids, { userId: principal.userId, action: 'hook_urls_shown' }),
    );
  }

  private async findHooks(principal: Principal, installationId: string): Promise<ProvisionedHook[] | null> {
    try {
      const { hooks } = await this.rpc.call(rpc.automations.listHooks, { installationId }, principal);
      return hooks.map(({ key, workflowId, url }) => ({ key, workflowId, url }));
    } catch (error) {
      this.logger.warn({
        msg: 'The addresses of hooks could not be read; they are left out',
        err: error,
        installationId,
      });
      return null;
    }
  }
}

@Injectable()
export class InstallationService {
  constructor(
    private readonly database: Database,
    private readonly installations: InstallationRepository,
    private readonly work: InstallationWorkRepository,
    private readonly offers: OfferService,
    private readonly worker: InstallationWorker,
    private readonly addresses: HookAddressService,
    private readonly idempotency: IdempotencyService,
    @Inject(MARKETPLACE_CONFIG) private readonly config: MarketplaceConfig,
  ) {}

  /**
   * Installs an app. When it takes too long, the answer says `installing` and the work continues.
   * @param call makes a repeated call return the installation of the first one in its present state
   * @throws PlatformError NOT_FOUND, APP_NOT_INSTALLABLE, ALREADY_INSTALLED, SCOPE_NOT_REQUESTED, SCOPE_REQUIRED,
   *   IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, and the error of the step that failed
   */
  async install(principal: Principal, input: InstallInput, call?: IdempotentCall): Promise<InstallationView> {
    const { tenantId } = principal;
    // Before the offer is read: that may have changed since the first call.
    const earlier =
      call && (await this.database.transaction(tenantId, (tx) => this.idempotency.findRecordId(tx, call)));
    if (earlier) return this.answer(principal, earlier, undefined);
    const { version, manifest, sandbox, grantedScopes, notices } = await this.consent(tenantId, input);
    let lease: WorkLease | undefined;
    const create = async (tx: TenantTransaction): Promise<string> => {
      const id = newId();
      const isNew = await this.installations.insert(tx, {
        id,
        appKey: input.appKey,
        versionId: version.id,
        version: version.version,
        sandbox,
        grantedScopes,
        notices,
        createdBy: principal.userId,
      });
      if (!isNew) throw await this.alreadyInstalled(tx, input.appKey);
      await this.installations.insertSteps(tx, id, neededSteps(manifest, grantedScopes));
      await this.installations.recordActs(tx, [id], { userId: principal.userId, action: 'install_requested' });
      lease = await this.work.start(tx, id);
      return id;
    };
    const id = await this.database.transaction(tenantId, async (tx) =>
      call ? (await this.idempotency.once(tx, call, () => create(tx))).recordId : create(tx),
    );
    return this.answer(principal, id, lease && (await this.carryOut(lease)));
  }

  /** What an administrator would consent to. @throws PlatformError as {@link install} of the app and its scopes */
  async preview({ tenantId }: Principal, input: InstallInput): Promise<ConsentPreviewView> {
    const { version, manifest, sandbox, grantedScopes, notices } = await this.consent(tenantId, input);
    const { appKey } = input;
    const shown = { appKey, name: storedText(manifest.name, 200), version: version.version, sandbox };
    return { ...shown, grantedScopes, notices: notices.map(noticeViewOf) };
  }

  /**
   * Removes an installation. One that is removed or being removed already is returned as it is.
   * @throws PlatformError NOT_FOUND; CONFLICT while it is being installed or undone, or after it failed
   */
  async uninstall(principal: Principal, id: string): Promise<InstallationView> {
    const { tenantId, userId } = principal;
    const lease = await this.database.transaction(tenantId, async (tx) => {
      if (await this.installations.changeState(tx, id, 'active', 'uninstalling', { actingUserId: userId })) {
        await this.installations.recordActs(tx, [id], { userId, action: 'uninstall_requested' });
        return this.work.start(tx, id);
      }
      const found = await this.installations.find(tx, id);
      if (!found) throw new PlatformError('NOT_FOUND');
      if (found.state === 'uninstalled' || found.state === 'uninstalling') return undefined;
      throw new PlatformError('CONFLICT', `The installation's state is ${found.state}`);
    });
    if (lease) await this.carryOut(lease);
    return this.get(principal, id);
  }

  /** @throws PlatformError NOT_FOUND */
  async get(principal: Principal, id: string): Promise<InstallationView> {
    const { installation, steps } = await this.read(principal.tenantId, id);
    const [hooks, standings] = await Promise.all([
      this.addresses.show(principal, [installation]),
      this.offers.listStandings([installation.appKey]),
    ]);
    return viewOf(installation, steps, standings, hooks.get(id));
  }

  /** Newest first. @throws PlatformError INVALID_QUERY for a cursor of another tenant or list */
  async list(principal: Principal, query: InstallationQuery): Promise<ListAnswer<InstallationView>> {
    const { tenantId } = principal;
    const { state = null } = query;
    const states = state === null ? LIVE_STATES : INSTALLATION_STATES.filter((one) => state === 'all' || one === state);
    const page = parsePage(query, { tenantId, list: 'installs', filter: state });
    const { list, steps } = await this.database.transaction(tenantId, async (tx) => {
      const { rows, counted } = await this.installations.list(tx, states, page);
      const shown = listAnswer(rows, page, counted, idPosition);
      const ids = shown.data.map(({ id }) => id);
      return { list: shown, steps: await this.installations.listSteps(tx, ids) };
    });
    const [hooks, standings] = await Promise.all([
      this.addresses.show(principal, list.data),
      this.offers.listStandings(list.data.map(({ appKey }) => appKey)),
    ]);
    return mapList(list, (row) => viewOf(row, steps.get(row.id) ?? [], standings, hooks.get(row.id)));
  }

  private async consent(tenantId: string, input: InstallInput) {
    const sandbox = input.sandbox ?? false;
    const wanted = { version: input.version, sandbox };
    const { version, manifest } = await this.offers.get(tenantId, input.appKey, wanted);
    const grantedScopes = grantScopes(manifest, input.grantedScopes);
    const others = manifest.roles?.length ? await this.offers.listRoles(tenantId) : [];
    const notices = consentNotices(manifest, { sandbox, grantedScopes }, others);
    return { version, manifest, sandbox, grantedScopes, notices };
  }

  /** @returns undefined when it takes longer than an answer may, or when another process continues it */
  private async carryOut(lease: WorkLease): Promise<SagaOutcome | undefined> {
    try {
      return await settledWithin(this.worker.start(lease), this.config.installation.answerWithinMs);
    } catch (error) {
      if (error instanceof LeaseLostError) return undefined;
      throw error;
    }
  }

  private async answer(principal: Principal, id: string, outcome: SagaOutcome | undefined): Promise<InstallationView> {
    const { installation, steps } = await this.read(principal.tenantId, id);
    if (installation.failure) throw failureOf(installation);
    const standings = await this.offers.listStandings([installation.appKey]);
    if (installation.state !== 'active') return viewOf(installation, steps, standings);
    const hooks: readonly ShownHook[] | undefined = outcome?.hooks.length
      ? outcome.hooks
      : (await this.addresses.show(principal, [installation])).get(id);
    if (outcome?.hooks.length) await this.addresses.record(principal, [installation]);
    return viewOf(installation, steps, standings, hooks);
  }

  private read(tenantId: string, id: string) {
    return this.database.transaction(tenantId, async (tx) => {
      const found = await this.installations.findWithSteps(tx, id);
      if (!found) throw new PlatformError('NOT_FOUND');
      return found;
    });
  }

  private async alreadyInstalled(tx: TenantTransaction, appKey: string): Promise<PlatformError> {
    const live = await this.installations.findLive(tx, appKey);
    return new PlatformError('ALREADY_INSTALLED', live ? LIVE_DETAIL[live.state] : undefined, {
      members: live ? { installationId: live.id } : undefined,
    });
  }
}

const LIVE_DETAIL: Partial<Record<InstallationState, string>> = {
  installing: 'The app is already being installed',
  compensating: 'A failed installation is still being undone. Try again in a moment',
  uninstalling: 'The app is being removed. Try again in a moment',
};

function failureOf({ id, state, failure }: Installation): PlatformError {
  const code = failure?.code;
  return new PlatformError(isErrorCode(code) ? code : 'INSTALL_FAILED', failure?.detail, {
    members: { installation: { id, state }, step: failure?.step },
  });
}

function viewOf(
  installation: Installation,
  steps: readonly InstallationStep[],
  standings: ReadonlyMap<string, Standing>,
  hooks: readonly ShownHook[] = installation.hooks,
): InstallationView {
  const { id, state, appKey, version, sandbox, grantedScopes, objects, subscriptions, failure, createdAt } =
    installation;
  const standing = standings.get(appKey) ?? NO_STANDING;
  return {
    id,
    state,
    appKey,
    version,
    sandbox,
    grantedScopes,
    objects: state === 'active' ? objects : [],
    hooks: state === 'active' ? [...hooks] : [],
    subscriptions: state === 'active' ? subscriptions : [],
    steps: steps.map(({ name, state: stepState, error }) => ({ name, state: stepState, ...(error && { error }) })),
    ...(failure && { failure }),
    ...(standing.status !== null && { appStatus: standing.status }),
    notices: [...standingNotices(standing), ...installation.notices].map(noticeViewOf),
    createdAt: createdAt.toISOString(),
  };
}

export const noticeViewOf = ({ fields, ...notice }: AppNotice): NoticeView => ({
  ...notice,
  ...(fields && { fields: [...fields] }),
});

/**
 * Waits a limited time for work that continues on its own.
 * @returns the result, or undefined when it is not there in time
 * @throws what the work throws in time; later errors are for the owner of the work to report
 */
async function settledWithin<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const settled = new AbortController();
  try {
    return await Promise.race([work, delay(milliseconds, undefined, { signal: settled.signal })]);
  } finally {
    settled.abort();
  }
}
