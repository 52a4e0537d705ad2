import { RevocationSource } from '@crm/access';
import { Database, DueWorkMeter } from '@crm/database';
import { TenantDirectory } from '@crm/messaging';
import { Module } from '@nestjs/common';
import { WorkflowModule } from '../workflow/workflow.module.js';
import { ActionService, RunTokenService } from './action.service.js';
import { ClaimedRunRepository } from './claimed-run.repository.js';
import { ErasedRecords } from './erased-records.js';
import { HttpRequestService } from './http-request.service.js';
import { RunConsumer, RunController } from './run.controller.js';
import { RunRepository } from './run.repository.js';
import { RunService } from './run.service.js';
import { RunExecutor, RunWorker } from './run.worker.js';
import { RunBacklog } from './run-backlog.js';
import { RunChain } from './run-chain.js';
import { measureDueRuns, RunQueueRepository, RunSignal } from './run-queue.repository.js';
import { RunRetention } from './run-retention.js';
import { WaitingEventSweeper } from './waiting-event.js';

const DUE_RUNS_METER = Symbol('automation-hooks:due-runs-meter');

@Module({
  imports: [WorkflowModule],
  controllers: [RunConsumer, RunController],
  providers: [
    ActionService,
    ClaimedRunRepository,
    ErasedRecords,
    HttpRequestService,
    RunBacklog,
    RunChain,
    RunExecutor,
    RunQueueRepository,
    RunRepository,
    RunRetention,
    RunService,
    RunSignal,
    RunTokenService,
    RunWorker,
    TenantDirectory,
    WaitingEventSweeper,
    {
      provide: DUE_RUNS_METER,
      useFactory: (database: Database, revocations: RevocationSource) =>
        new DueWorkMeter(database, 'runs', measureDueRuns, () => [revocations.suspendedTenants()]),
      inject: [Database, RevocationSource],
    },
  ],
  // Hook calls are stored by statements of their own, and wake the worker.
  exports: [RunBacklog, RunSignal],
})
export class RunModule {}
