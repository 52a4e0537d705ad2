import { Wake } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Tells the worker of this process that a line has grown, or that its head has ended. */
@Injectable()
export class RecordLineSignal extends Wake {}
