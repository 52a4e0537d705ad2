import { Access } from '@crm/access';
import type { OperatorAuditPage } from '@crm/contracts';
import { Database } from '@crm/database';
import { Describe } from '@crm/http';
import { listOperatorAudit } from '@crm/operator-audit';
import { OperatorAuditQuery } from '@crm/operator-audit/dto';
import { Controller, Get, Query } from '@nestjs/common';
import { PLATFORM_TENANT } from '../platform-tenant.js';

/** This service's part of the trail of operators, which marketplace-admin shows together with that of marketplace-certification. */
@Controller('operators/audit')
@Access({ right: 'administer', proof: false })
export class OperatorsAuditController {
  constructor(private readonly database: Database) {}

  @Get()
  @Describe({ summary: "List the operators' audit trail", hidden: true })
  list(@Query() query: OperatorAuditQuery): Promise<OperatorAuditPage> {
    return this.database.transaction(PLATFORM_TENANT, (tx) => listOperatorAudit(tx, query));
  }
}
