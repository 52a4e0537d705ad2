import type { Principal } from '@crm/context';
import { isErrorCode, PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import { IdempotencyService, type IdempotentCall } from '@crm/idempotency';
import { Inject, Injectable } from '@nestjs/common';
import { isIdentifier } from '../submission/identifier.js';
import { PackageRepository } from '../submission/package.repository.js';
import { grantScopes } from './granted-scopes.js';
import { HookAddresses, type ShownHook } from './hook-addresses.js';
import type { InstallationAnswer, InstallationQuery, InstallInput } from './installation.dto.js';
import { INSTALLATION_STATES, type Installation, type InstallationState, LIVE_STATES } from './installation.js';
import { InstallationRepository } from './installation.repository.js';
import { InstallationWorker } from './installation.worker.js';
import type { SagaOutcome } from './installation-saga.js';
import { viewOf } from './installation-view.js';
import { pickVersion } from './offer.js';
import { OfferRepository } from './offer.repository.js';
import { neededSteps } from './package-steps.js';
import { settledWithin } from './settled-within.js';
import { LeaseLostError, type WorkLease, WorkRepository } from './work.repository.js';

export const ANSWER_WITHIN_MS = Symbol('milliseconds an install is waited for');

/** What administrators ask for; the saga carries it out. */
@Injectable()
export class InstallationService {
  constructor(
    private readonly database: Database,
    private readonly installations: InstallationRepository,
    private readonly work: WorkRepository,
    private readonly offers: OfferRepository,
    private readonly packages: PackageRepository,
    private readonly worker: InstallationWorker,
    private readonly addresses: HookAddresses,
    private readonly idempotency: IdempotencyService,
    @Inject(ANSWER_WITHIN_MS) private readonly answerWithinMs: number,
  ) {}

  /**
   * Installs an app. When it takes too long the answer says `installing` and the work goes on.
   * @param call makes a repetition answer with the installation of the first call, as it now stands
   * @throws PlatformError NOT_FOUND, APP_NOT_INSTALLABLE, ALREADY_INSTALLED, SCOPE_NOT_REQUESTED, SCOPE_REQUIRED,
   *   IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, and the error of the step that failed, with the installation's id
   *   and state
   */
  async install(principal: Principal, input: InstallInput, call?: IdempotentCall): Promise<InstallationAnswer> {
    const { tenantId } = principal;
    // Before the offer is looked at: that may have changed, and the installation is there all the same.
    const earlier =
      call && (await this.database.transaction(tenantId, (tx) => this.idempotency.findRecordId(tx, call)));
    if (earlier) return this.answer(principal, earlier, undefined);
    const sandbox = input.sandbox ?? false;
    const offered = await this.database.crossTenant(async (tx) => {
      const app = isIdentifier(input.appKey) ? await this.offers.find(tx, input.appKey) : undefined;
      const version = pickVersion(app, tenantId, { version: input.version, sandbox });
      return { version, manifest: await this.packages.read(tx, version.id) };
    });
    const grantedScopes = grantScopes(offered.manifest, input.grantedScopes);
    let lease: WorkLease | undefined;
    const create = async (tx: TenantTransaction): Promise<string> => {
      const id = newId();
      const isNew = await this.installations.insert(tx, {
        id,
        appKey: input.appKey,
        versionId: offered.version.id,
        version: offered.version.version,
        sandbox,
        grantedScopes,
        createdBy: principal.userId,
        steps: neededSteps(offered.manifest, grantedScopes),
      });
      if (!isNew) throw await this.alreadyThere(tx, input.appKey);
      await this.audit(tx, id, principal, 'install_requested');
      lease = await this.work.start(tx, id);
      return id;
    };
    const id = await this.database.transaction(tenantId, async (tx) =>
      call ? (await this.idempotency.once(tx, call, () => create(tx))).recordId : create(tx),
    );
    return this.answer(principal, id, lease && (await this.carryOut(lease)));
  }

  /**
   * Removes an installation. Asking again for one that is removed, or being removed, answers with what it is.
   * @throws PlatformError NOT_FOUND; CONFLICT while it is being installed or undone, or when it had failed
   */
  async uninstall(principal: Principal, id: string): Promise<InstallationAnswer> {
    const lease = await this.database.transaction(principal.tenantId, async (tx) => {
      if (await this.installations.startRemoval(tx, id, principal.userId)) {
        await this.audit(tx, id, principal, 'uninstall_requested');
        return this.work.start(tx, id);
      }
      const found = await this.installations.find(tx, id);
      if (!found) throw new PlatformError('NOT_FOUND');
      if (found.state === 'uninstalled' || found.state === 'uninstalling') return undefined;
      throw new PlatformError('CONFLICT', `The installation is ${found.state}.`);
    });
    if (lease) await this.carryOut(lease);
    return this.view(principal, id);
  }

  /** @throws PlatformError NOT_FOUND */
  async find(principal: Principal, id: string): Promise<InstallationAnswer> {
    return this.view(principal, id);
  }

  /**
   * Newest first.
   * @throws PlatformError INVALID_QUERY for a cursor of another tenant or list
   */
  async list(principal: Principal, query: InstallationQuery): Promise<ListAnswer<InstallationAnswer>> {
    const { tenantId } = principal;
    const { state = null } = query;
    const states = state === null ? LIVE_STATES : INSTALLATION_STATES.filter((one) => state === 'all' || one === state);
    const page = parsePage(query, { tenantId, list: 'installs', filter: state });
    const { list, steps } = await this.database.transaction(tenantId, async (tx) => {
      const { rows, counted } = await this.installations.list(tx, states, page);
      const shown = listAnswer(rows, page, counted, idPosition);
      const ids = shown.data.map(({ id }) => id);
      return { list: shown, steps: await this.installations.stepsOf(tx, ids) };
    });
    const hooks = await this.addresses.show(principal, list.data);
    return mapList(list, (row) => viewOf(row, steps.get(row.id) ?? [], hooks.get(row.id)));
  }

  /** @returns nothing when it takes longer than an answer may, or when another process goes on with it */
  private async carryOut(lease: WorkLease): Promise<SagaOutcome | undefined> {
    try {
      return await settledWithin(this.worker.start(lease), this.answerWithinMs);
    } catch (error) {
      if (error instanceof LeaseLostError) return undefined;
      throw error;
    }
  }

  private async answer(
    principal: Principal,
    id: string,
    outcome: SagaOutcome | undefined,
  ): Promise<InstallationAnswer> {
    const { installation, steps } = await this.read(principal.tenantId, id);
    if (installation.failure) throw failureOf(installation);
    if (installation.state !== 'active') return viewOf(installation, steps);
    const hooks: readonly ShownHook[] | undefined = outcome?.hooks.length
      ? outcome.hooks
      : (await this.addresses.show(principal, [installation])).get(id);
    if (outcome?.hooks.length) await this.addresses.note(principal, [installation]);
    return viewOf(installation, steps, hooks);
  }

  private async view(principal: Principal, id: string): Promise<InstallationAnswer> {
    const { installation, steps } = await this.read(principal.tenantId, id);
    const hooks = await this.addresses.show(principal, [installation]);
    return viewOf(installation, steps, hooks.get(id));
  }

  private read(tenantId: string, id: string) {
    return this.database.transaction(tenantId, async (tx) => {
      const installation = await this.installations.find(tx, id);
      if (!installation) throw new PlatformError('NOT_FOUND');
      return { installation, steps: await this.installations.steps(tx, id) };
    });
  }

  private async alreadyThere(tx: TenantTransaction, appKey: string): Promise<PlatformError> {
    const live = await this.installations.findLive(tx, appKey);
    return new PlatformError('ALREADY_INSTALLED', live && LIVE_DETAIL[live.state], {
      members: live && { installationId: live.id },
    });
  }

  private audit(tx: TenantTransaction, id: string, { userId }: Principal, action: string): Promise<void> {
    return this.installations.audit(tx, [{ id: newId(), installationId: id, userId, action }]);
  }
}

const LIVE_DETAIL: Partial<Record<InstallationState, string>> = {
  installing: 'The app is being installed.',
  compensating: 'An installation that failed is still being undone; try again in a moment.',
  uninstalling: 'The app is being removed; try again in a moment.',
};

/** The error of the step that failed, as its owner reported it. */
function failureOf({ id, state, failure }: Installation): PlatformError {
  const code = failure?.code;
  return new PlatformError(isErrorCode(code) ? code : 'INSTALL_FAILED', failure?.detail, {
    members: { installation: { id, state }, step: failure?.step },
  });
}
