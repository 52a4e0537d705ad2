import { EVENTS, type ProvisionedHook } from '@crm/contracts';
import { appendEvent, Database, type TenantTransaction } from '@crm/database';
import { Injectable, Logger } from '@nestjs/common';
import { PackageRepository } from '../submission/package.repository.js';
import type { Failure, Installation, InstallationState, InstallationStep } from './installation.js';
import { InstallationRepository } from './installation.repository.js';
import { PackageSteps } from './package-steps.js';
import { SagaToken } from './saga-token.js';
import { isUncertain, POSTPONE_BACKOFF, storedError, withRetries } from './step-errors.js';
import { LeaseLostError, leasedTransaction, type WorkLease, WorkRepository } from './work.repository.js';

/** A neighbour that did not answer in time may still carry the request out; after this long nothing is in flight any more. */
const SETTLE_SECONDS = 60;

export interface SagaOutcome {
  readonly state: InstallationState;
  /** Addresses of the hooks, when this run put them in place. */
  readonly hooks: readonly ProvisionedHook[];
}

/**
 * Installs, undoes and removes. Each step is recorded before and after its call, every transaction renews the lease, and
 * every call is idempotent by installation: wherever a process dies, another one goes on from the rows.
 */
@Injectable()
export class InstallationSaga {
  private readonly logger = new Logger(InstallationSaga.name);

  constructor(
    private readonly database: Database,
    private readonly installations: InstallationRepository,
    private readonly work: WorkRepository,
    private readonly packages: PackageRepository,
    private readonly steps: PackageSteps,
    private readonly token: SagaToken,
  ) {}

  /**
   * Works on an installation until it is settled, put off, or `stop` fires.
   * @throws LeaseLostError when another process took over; any error of the database, after which the lease runs out
   */
  async run(lease: WorkLease, stop: AbortSignal): Promise<SagaOutcome> {
    const found = await this.load(lease);
    if (found.installation.state === 'installing') return this.install(lease, stop, found);
    return this.undo(lease, stop, found);
  }

  private async install(lease: WorkLease, stop: AbortSignal, found: Loaded): Promise<SagaOutcome> {
    let { installation } = found;
    const manifest = await this.packages.manifestOf(installation.versionId);
    let hooks: readonly ProvisionedHook[] = [];
    for (const step of found.steps.filter(({ state }) => state !== 'done')) {
      if (stop.aborted) return this.interrupted(lease, installation);
      await this.inLease(lease, (tx) =>
        this.installations.saveStep(tx, installation.id, step.position, { state: 'running' }),
      );
      try {
        const outcome = await withRetries(stop, async () => {
          const token = await this.token.mint(lease.tenantId, installation);
          return this.steps.provision(step.name, { installation, manifest, token });
        });
        await this.inLease(lease, async (tx) => {
          await this.installations.saveStep(tx, installation.id, step.position, { state: 'done', error: null });
          await this.installations.saveResult(tx, installation.id, outcome.result);
        });
        installation = { ...installation, ...outcome.result };
        hooks = outcome.hooks ?? hooks;
      } catch (error) {
        if (stop.aborted) return this.interrupted(lease, installation);
        if (error instanceof LeaseLostError) throw error;
        return this.undo(lease, stop, await this.stepFailed(lease, installation, step, error));
      }
    }
    await this.activate(lease, installation);
    return { state: 'active', hooks };
  }

  /** Takes away, last step first, whatever was put in place or may have been. */
  private async undo(lease: WorkLease, stop: AbortSignal, found: Loaded): Promise<SagaOutcome> {
    const { installation } = found;
    const discard = installation.state !== 'uninstalling';
    // A failed installation that is looked at again only has to make sure of the steps that had not answered.
    const open = found.steps.filter((step) =>
      installation.state === 'failed' ? step.unsettled : step.state !== 'pending' && step.state !== 'undone',
    );
    let left = 0;
    for (const step of open.toReversed()) {
      if (stop.aborted) return this.interrupted(lease, installation);
      try {
        await withRetries(stop, () => this.steps.undo(step.name, lease, discard));
      } catch (error) {
        if (stop.aborted) return this.interrupted(lease, installation);
        left += 1;
        this.logger.warn(
          { err: error, installationId: installation.id, step: step.name },
          'A step could not be undone yet',
        );
        continue;
      }
      await this.inLease(lease, (tx) =>
        this.installations.saveStep(tx, installation.id, step.position, {
          state: 'undone',
          ...(installation.state === 'failed' ? { unsettled: false } : {}),
        }),
      );
    }
    if (left > 0) return this.putOff(lease, installation);
    return this.settle(lease, found);
  }

  private async activate(lease: WorkLease, installation: Installation): Promise<void> {
    await this.inLease(lease, async (tx) => {
      await this.installations.changeState(tx, installation.id, 'installing', 'active');
      if (!installation.sandbox) await this.installations.count(tx, installation.appKey, 1);
      await appendEvent(tx, EVENTS['app.installed'], eventOf(installation));
      await this.work.finish(tx, lease);
    });
  }

  /** Records the failure together with the decision to go back. */
  private async stepFailed(
    lease: WorkLease,
    installation: Installation,
    step: InstallationStep,
    error: unknown,
  ): Promise<Loaded> {
    const stored = storedError(error);
    const failure: Failure = { ...stored, step: step.name };
    this.logger.warn(
      { err: error, installationId: installation.id, step: step.name },
      'A step of an installation failed',
    );
    return this.inLease(lease, async (tx) => {
      await this.installations.saveStep(tx, installation.id, step.position, {
        state: 'failed',
        error: stored,
        unsettled: isUncertain(error),
      });
      await this.installations.changeState(tx, installation.id, 'installing', 'compensating', failure);
      return this.read(tx, installation.id);
    });
  }

  private async settle(lease: WorkLease, { installation, steps }: Loaded): Promise<SagaOutcome> {
    return this.inLease(lease, async (tx) => {
      if (installation.state === 'uninstalling') {
        await this.installations.changeState(tx, installation.id, 'uninstalling', 'uninstalled');
        if (!installation.sandbox) await this.installations.count(tx, installation.appKey, -1);
        await appendEvent(tx, EVENTS['app.uninstalled'], eventOf(installation));
        await this.work.finish(tx, lease);
        return { state: 'uninstalled', hooks: [] };
      }
      const firstTime = await this.installations.changeState(tx, installation.id, 'compensating', 'failed');
      if (firstTime && steps.some((step) => step.unsettled)) await this.work.putOff(tx, lease, SETTLE_SECONDS);
      else await this.work.finish(tx, lease);
      return { state: 'failed', hooks: [] };
    });
  }

  private async putOff(lease: WorkLease, installation: Installation): Promise<SagaOutcome> {
    await leasedTransaction(this.database, this.work, lease, (tx, attempts) =>
      this.work.putOff(tx, lease, POSTPONE_BACKOFF.delayMs(attempts + 1) / 1000),
    );
    return { state: installation.state, hooks: [] };
  }

  /** The process is about to end: whoever looks next goes on at once. */
  private async interrupted(lease: WorkLease, installation: Installation): Promise<SagaOutcome> {
    await this.inLease(lease, (tx) => this.work.putOff(tx, lease, 0));
    return { state: installation.state, hooks: [] };
  }

  private load(lease: WorkLease): Promise<Loaded> {
    return this.inLease(lease, (tx) => this.read(tx, lease.installationId));
  }

  private async read(tx: TenantTransaction, id: string): Promise<Loaded> {
    const installation = await this.installations.find(tx, id);
    if (!installation) throw new Error(`There is work for installation ${id}, which does not exist`);
    return { installation, steps: await this.installations.steps(tx, id) };
  }

  private inLease<T>(lease: WorkLease, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return leasedTransaction(this.database, this.work, lease, work);
  }
}

interface Loaded {
  readonly installation: Installation;
  readonly steps: readonly InstallationStep[];
}

function eventOf({ id, appKey, version, sandbox }: Installation) {
  return { subject: id, data: { installationId: id, appKey, version, sandbox } };
}
