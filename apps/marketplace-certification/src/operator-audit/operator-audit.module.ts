import { Module } from '@nestjs/common';
import { OperatorAuditRpc } from './operator-audit.rpc.js';

@Module({ controllers: [OperatorAuditRpc] })
export class OperatorAuditModule {}
