import { Module } from '@nestjs/common';
import { ForwardingModule } from '../forwarding/forwarding.module.js';
import { AuditController } from './audit.controller.js';
import { AuditService } from './audit.service.js';

/** The trail of operators. */
@Module({ imports: [ForwardingModule], controllers: [AuditController], providers: [AuditService] })
export class AuditModule {}
