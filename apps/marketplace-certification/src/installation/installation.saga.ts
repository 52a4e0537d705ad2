import { setTimeout as delay } from 'node:timers/promises';
import { RevocationSource } from '@crm/access';
import { type ErrorCode, EVENTS, PlatformError, type ProvisionedHook } from '@crm/contracts';
import { appendEvent, Backoff, type TenantTransaction } from '@crm/database';
import { Injectable, Logger } from '@nestjs/common';
import type { Installation, InstallationState, InstallationStep, StoredError } from './installation.entity.js';
import {
  InstallationRepository,
  type InstallationWithSteps,
  InstallationWorkRepository,
  InstallCountRepository,
  LeaseLostError,
  type WorkLease,
} from './installation.repository.js';
import { OfferService } from './offer.service.js';
import { PackageStepService } from './package-step.service.js';

/** Seconds after which a neighbour that did not answer in time no longer carries the request out. */
const SETTLE_SECONDS = 60;

export interface SagaOutcome {
  readonly state: InstallationState;
  /** The hooks with their addresses, when this run provisioned them. */
  readonly hooks: readonly ProvisionedHook[];
}

/**
 * Installs, undoes and removes. Each step is recorded before and after its call, every transaction renews the lease, and
 * every call is idempotent by installation: wherever a process dies, another one continues from the rows.
 */
@Injectable()
export class InstallationSaga {
  private readonly logger = new Logger(InstallationSaga.name);

  constructor(
    private readonly installations: InstallationRepository,
    private readonly counts: InstallCountRepository,
    private readonly work: InstallationWorkRepository,
    private readonly offers: OfferService,
    private readonly packageSteps: PackageStepService,
    private readonly revocations: RevocationSource,
  ) {}

  /**
   * Works on an installation until it is settled or postponed, `stop` fires or, while it installs, the workspace is suspended.
   * @throws LeaseLostError when another process took it over; any error of the database, after which the lease runs out
   */
  async run(lease: WorkLease, stop: AbortSignal): Promise<SagaOutcome> {
    const found = await this.work.inLease(lease, (tx) => this.read(tx, lease.installationId));
    if (found.installation.state === 'installing') return this.install(lease, stop, found);
    return this.undo(lease, stop, found);
  }

  private async install(lease: WorkLease, stop: AbortSignal, found: InstallationWithSteps): Promise<SagaOutcome> {
    let { installation } = found;
    const manifest = await this.offers.getManifest(installation.versionId);
    let hooks: readonly ProvisionedHook[] = [];
    for (const step of found.steps.filter(({ state }) => state !== 'done')) {
      if (this.mustStop(lease, stop)) return this.interrupted(lease, installation);
      await this.work.inLease(lease, (tx) => this.installations.updateStep(tx, step, { state: 'running' }));
      try {
        const outcome = await withRetries(stop, () => this.packageSteps.provision(step.name, installation, manifest));
        await this.work.inLease(lease, async (tx) => {
          await this.installations.updateStep(tx, step, { state: 'done', error: null });
          await this.installations.saveResult(tx, installation.id, outcome.result);
        });
        installation = { ...installation, ...outcome.result };
        hooks = outcome.hooks ?? hooks;
      } catch (error) {
        if (this.mustStop(lease, stop) || isOfSuspension(error)) return this.interrupted(lease, installation);
        if (error instanceof LeaseLostError) throw error;
        return this.undo(lease, stop, await this.stepFailed(lease, installation, step, error));
      }
    }
    await this.activate(lease, installation);
    return { state: 'active', hooks };
  }

  /** Removes, last step first, whatever was provisioned or may have been. */
  private async undo(lease: WorkLease, stop: AbortSignal, found: InstallationWithSteps): Promise<SagaOutcome> {
    const { installation } = found;
    const discard = installation.state !== 'uninstalling';
    // For an installation that failed already, only the steps that had not answered remain.
    const open = found.steps.filter((step) =>
      installation.state === 'failed' ? step.unsettled : step.state !== 'pending' && step.state !== 'undone',
    );
    const { id: installationId, appKey, sandbox } = installation;
    const removed = { tenantId: lease.tenantId, installationId, appKey, sandbox };
    let left = 0;
    if (!discard) {
      try {
        await withRetries(stop, () => this.packageSteps.endTokens(removed));
      } catch (error) {
        if (stop.aborted) return this.interrupted(lease, installation);
        left += 1;
        this.logger.warn({
          msg: 'The tokens of an installation could not be ended; it is tried again later',
          err: error,
          installationId: installation.id,
        });
      }
    }
    for (const step of open.toReversed()) {
      if (stop.aborted) return this.interrupted(lease, installation);
      try {
        await withRetries(stop, () => this.packageSteps.undo(step.name, removed, discard));
      } catch (error) {
        if (stop.aborted) return this.interrupted(lease, installation);
        left += 1;
        this.logger.warn({
          msg: 'A step could not be undone; it is tried again later',
          err: error,
          installationId: installation.id,
          step: step.name,
        });
        continue;
      }
      const isSettled = installation.state === 'failed' && { unsettled: false };
      await this.work.inLease(lease, (tx) =>
        this.installations.updateStep(tx, step, { state: 'undone', ...isSettled }),
      );
    }
    if (left > 0) return this.postpone(lease, installation);
    return this.settle(lease, found);
  }

  private async activate(lease: WorkLease, installation: Installation): Promise<void> {
    await this.work.inLease(lease, async (tx) => {
      await this.installations.changeState(tx, installation.id, 'installing', 'active');
      if (!installation.sandbox) await this.counts.add(tx, installation.appKey, 1);
      await appendEvent(tx, EVENTS['app.installed'], eventOf(installation));
      await this.work.finish(tx, lease);
    });
  }

  private async stepFailed(
    lease: WorkLease,
    installation: Installation,
    step: InstallationStep,
    error: unknown,
  ): Promise<InstallationWithSteps> {
    const stored = storedError(error);
    this.logger.warn({
      msg: 'A step of an installation failed; the installation is undone',
      err: error,
      installationId: installation.id,
      step: step.name,
    });
    return this.work.inLease(lease, async (tx) => {
      await this.installations.updateStep(tx, step, { state: 'failed', error: stored, unsettled: isUncertain(error) });
      await this.installations.changeState(tx, installation.id, 'installing', 'compensating', {
        failure: { ...stored, step: step.name },
      });
      return this.read(tx, installation.id);
    });
  }

  private async settle(lease: WorkLease, { installation, steps }: InstallationWithSteps): Promise<SagaOutcome> {
    return this.work.inLease(lease, async (tx) => {
      if (installation.state === 'uninstalling') {
        await this.installations.changeState(tx, installation.id, 'uninstalling', 'uninstalled');
        if (!installation.sandbox) await this.counts.add(tx, installation.appKey, -1);
        await appendEvent(tx, EVENTS['app.uninstalled'], eventOf(installation));
        await this.work.finish(tx, lease);
        return { state: 'uninstalled', hooks: [] };
      }
      const firstTime = await this.installations.changeState(tx, installation.id, 'compensating', 'failed');
      if (firstTime && steps.some((step) => step.unsettled)) await this.work.postpone(tx, lease, SETTLE_SECONDS);
      else await this.work.finish(tx, lease);
      return { state: 'failed', hooks: [] };
    });
  }

  private async postpone(lease: WorkLease, installation: Installation): Promise<SagaOutcome> {
    await this.work.inLease(lease, (tx, attempts) =>
      this.work.postpone(tx, lease, POSTPONE_BACKOFF.delayMs(attempts + 1) / 1000),
    );
    return { state: installation.state, hooks: [] };
  }

  /** What an installation provides waits with its workspace; what has been begun is repeated afterwards. */
  private mustStop({ tenantId }: WorkLease, stop: AbortSignal): boolean {
    return stop.aborted || this.revocations.isSuspended(tenantId);
  }

  /** The process is about to end, and the next one continues at once, or the workspace is suspended. */
  private async interrupted(lease: WorkLease, installation: Installation): Promise<SagaOutcome> {
    await this.work.inLease(lease, (tx) => this.work.postpone(tx, lease, 0));
    return { state: installation.state, hooks: [] };
  }

  private async read(tx: TenantTransaction, id: string): Promise<InstallationWithSteps> {
    const found = await this.installations.findWithSteps(tx, id);
    if (!found) throw new Error(`There is work for installation ${id}, which does not exist`);
    return found;
  }
}

function eventOf({ id, appKey, version, sandbox, actingUserId }: Installation) {
  return {
    subject: id,
    data: { installationId: id, appKey, version, sandbox, ...(actingUserId !== null && { requestedBy: actingUserId }) },
  };
}

/** Milliseconds before another try when a neighbour is away: a restart by the supervisor takes a second or two. */
const RETRY_DELAYS_MS = [300, 1200];

const PASSING: ReadonlySet<string> = new Set<ErrorCode>([
  'SERVICE_UNAVAILABLE',
  'TOKEN_REVOKED',
  'WORKSPACE_SUSPENDED',
]);

/** Delays between tries of what has to succeed in the end: growing to five minutes. */
export const POSTPONE_BACKOFF = Backoff.listed([1_000, 2_000, 5_000, 15_000, 60_000, 300_000]);

/**
 * Repeats a call that nobody received, or whose token was refused: services learn of a suspension one after the other. A
 * neighbour that does not answer in time is not called again: the time is better spent on undoing the installation.
 * @param stop ends the waiting; what is under way then no longer matters
 */
export async function withRetries<T>(stop: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await abandonedOn(stop, call());
    } catch (error) {
      const wait = RETRY_DELAYS_MS[attempt];
      if (wait === undefined || !(error instanceof PlatformError && PASSING.has(error.code))) throw error;
      await delay(wait, undefined, { signal: stop });
    }
  }
}

/** Returns whether a step may have been carried out, or may still be, although it answered with an error. */
export function isUncertain(error: unknown): boolean {
  return !(error instanceof PlatformError) || error.status >= 500;
}

/** Returns whether a call was refused because its workspace is suspended, of which this process need not know yet. */
export function isOfSuspension(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'WORKSPACE_SUSPENDED';
}

/** What is stored and shown of an error: one that is not in the catalogue is a defect, of which callers learn nothing. */
export function storedError(error: unknown): StoredError {
  return error instanceof PlatformError
    ? { code: error.code, detail: error.message }
    : {
        code: 'INSTALL_FAILED',
        detail: 'Installation failed because a service was unavailable. Nothing was installed. Try again',
      };
}

function abandonedOn<T>(stop: AbortSignal, call: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abandon = () => reject(new Error('The process is ending'));
    if (stop.aborted) abandon();
    stop.addEventListener('abort', abandon, { once: true });
    call.then(resolve, reject).finally(() => stop.removeEventListener('abort', abandon));
  });
}
