import type { Principal } from '@crm/access';
import { type AppStatus, EVENTS, PlatformError } from '@crm/contracts';
import { appendEvent, Database, type NarrowTransaction } from '@crm/database';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { Injectable } from '@nestjs/common';
import type { Submission } from '../catalogue/catalogue.entity.js';
import { AppRepository, isIdentifier, storedText, VersionRepository } from '../catalogue/catalogue.repository.js';
import { OUTCOMES_OF_APP_DECISION, VerdictEvents } from '../catalogue/verdict-events.js';
import { type AppDecision, reasonRequired, TRANSITIONS, type VersionAction } from '../catalogue/version-state.js';
import { ClientStatusService } from '../credentials/client-status.service.js';
import { AppDecisionRepository, type DecidedApp } from './app-decision.repository.js';
import { assertOperator } from './assert-operator.js';
import type { AppView, ImpactView } from './review.dto.js';

const STATUS_AFTER: Readonly<Partial<Record<AppDecision, AppStatus>>> = {
  suspend: 'suspended',
  reinstate: 'published',
  revoke: 'revoked',
};

/** What operators do to an app that is published. Every decision has a reason, which its publisher reads as the verdict. */
@Injectable()
export class AppDecisionService {
  constructor(
    private readonly database: Database,
    private readonly decisions: AppDecisionRepository,
    private readonly apps: AppRepository,
    private readonly versions: VersionRepository,
    private readonly verdicts: VerdictEvents,
    private readonly clients: ClientStatusService,
  ) {}

  /** How much depends on an app. @throws PlatformError FORBIDDEN, NOT_FOUND */
  async measure(operator: Principal | undefined, appKey: string): Promise<AppView> {
    assertOperator(operator);
    return this.database.crossTenant(async (tx) => this.impact(tx, await this.find(tx, appKey)));
  }

  /**
   * `suspend` stops new installs and authorizations, and keeps those there are; `reinstate` undoes that; `revoke` also ends
   * every token of the app, for good; `unlist` leaves the app to those who know its key.
   * @throws PlatformError FORBIDDEN, NOT_FOUND, OWN_SUBMISSION, SUBMISSION_STATE; VALIDATION_FAILED without a reason
   */
  async decide(
    operator: Principal | undefined,
    appKey: string,
    decision: AppDecision,
    reason: string,
  ): Promise<AppView> {
    assertOperator(operator);
    const why = storedText(reason.trim(), 2000);
    if (why === '') throw reasonRequired(`Enter a reason to ${decision} an app`);
    const impact = await this.database.crossTenant(async (tx) => {
      const known = await this.find(tx, appKey);
      await this.apps.lock(tx, appKey);
      const app = (await this.decisions.find(tx, appKey)) ?? known;
      if (operator.linkedTenantId === app.tenantId) throw new PlatformError('OWN_SUBMISSION');
      const before = await this.impact(tx, app);
      await this[decision](tx, operator, app, why);
      const after = await this.impact(tx, await this.find(tx, appKey));
      await recordOperatorAct(tx, {
        operator: actingOperator(operator),
        act: `app.${decision}`,
        subject: { kind: 'app', id: appKey, name: `${app.name} (${app.publisherName})` },
        reason: why,
        findings: { ...before.impact },
        before: stateOf(before),
        after: stateOf(after),
      });
      // Once for the app, however many of its versions a decision moves: what is published, or was suspended, stands for it.
      const concerned = (app.publishedId ?? app.suspendedId) as string;
      await this.verdicts.append(tx, operator, concerned, OUTCOMES_OF_APP_DECISION[decision], why);
      await this.tellWorkspaces(tx, app, decision);
      return after;
    });
    await this.clients.tell(appKey);
    return impact;
  }

  private async suspend(tx: NarrowTransaction, operator: Principal, app: DecidedApp, reason: string): Promise<void> {
    const { appKey, publishedId } = app;
    if (publishedId === null) throw new PlatformError('SUBMISSION_STATE', 'The app has no published version');
    await this.move(tx, operator, { id: publishedId, status: 'published' }, 'suspend', reason);
    await this.decisions.hide(tx, appKey);
    await this.clients.decide(tx, appKey, { status: 'suspended' });
  }

  private async reinstate(tx: NarrowTransaction, operator: Principal, app: DecidedApp, reason: string): Promise<void> {
    const { appKey, publishedId, publishedVersion, suspendedId } = app;
    if (suspendedId === null) throw new PlatformError('SUBMISSION_STATE', 'The app has no suspended version');
    if (publishedId !== null) throw new PlatformError('SUBMISSION_STATE', `Version ${publishedVersion} is published`);
    await this.move(tx, operator, { id: suspendedId, status: 'suspended' }, 'reinstate', reason);
    const manifest = await this.versions.getManifest(tx, suspendedId);
    await this.apps.publish(tx, suspendedId, manifest, app.publisherName);
    await this.clients.decide(tx, appKey, { status: 'active' });
  }

  /** Every version that a tenant may have. What is under review stays there and cannot be published. */
  private async revoke(tx: NarrowTransaction, operator: Principal, app: DecidedApp, reason: string): Promise<void> {
    const { appKey, publishedId, suspendedId } = app;
    if (publishedId === null && suspendedId === null) {
      throw new PlatformError('SUBMISSION_STATE', 'The app has no published or suspended version');
    }
    const versions = await this.versions.listOfApp(tx, appKey);
    for (const version of versions.filter(({ status }) => TRANSITIONS[status].revoke)) {
      await this.move(tx, operator, version, 'revoke', reason);
    }
    await this.decisions.hide(tx, appKey);
    await this.clients.decide(tx, appKey, { status: 'revoked' });
  }

  private async unlist(tx: NarrowTransaction, _operator: Principal, app: DecidedApp, reason: string): Promise<void> {
    const { appKey, publishedId, visibility } = app;
    if (publishedId === null) throw new PlatformError('SUBMISSION_STATE', 'The app has no published version');
    if (visibility !== 'public') throw new PlatformError('SUBMISSION_STATE', `The app is ${visibility}`);
    await this.decisions.unlist(tx, appKey);
    await this.versions.changeStatus(tx, publishedId, 'published', { verdict: reason });
  }

  /** Those that have the app; the publisher reads the verdict. */
  private async tellWorkspaces(tx: NarrowTransaction, app: DecidedApp, decision: AppDecision): Promise<void> {
    const appStatus = STATUS_AFTER[decision];
    if (!appStatus) return;
    const { appKey, name: appName, publisherName: publisher } = app;
    for (const tenantId of await this.decisions.listTenants(tx, app)) {
      const data = { appKey, appName, publisher, appStatus };
      await appendEvent(tx, EVENTS['app.status_changed'], { tenantId, subject: appKey, data });
    }
  }

  private async move(
    tx: NarrowTransaction,
    operator: Principal,
    version: Pick<Submission, 'id' | 'status'>,
    action: VersionAction,
    reason: string,
  ): Promise<void> {
    const step = { actorKind: 'operator', actorId: operator.userId, action, reason } as const;
    await this.versions.move(tx, version, step, { verdict: reason });
  }

  private async find(tx: NarrowTransaction, appKey: string): Promise<DecidedApp> {
    const app = isIdentifier(appKey) ? await this.decisions.find(tx, appKey) : null;
    if (!app) throw new PlatformError('NOT_FOUND', 'App not found');
    return app;
  }

  private async impact(tx: NarrowTransaction, app: DecidedApp): Promise<AppView> {
    return viewOf(app, await this.decisions.countInstallations(tx, app.appKey));
  }
}

function viewOf(app: DecidedApp, impact: ImpactView): AppView {
  const { appKey: key, name, tenantId, publisherName, publishedId, suspendedId, ...state } = app;
  return { key, name, publisher: { tenantId, name: publisherName }, ...state, impact };
}

const stateOf = ({ key, name, publisher, impact, ...state }: AppView) => state;
