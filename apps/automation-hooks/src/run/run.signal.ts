import { Wake } from '@crm/worker';
import { Injectable } from '@nestjs/common';

/** Tells this process's worker that a run was stored; a poll stands behind it, so a lost signal only delays. */
@Injectable()
export class RunSignal extends Wake {}
