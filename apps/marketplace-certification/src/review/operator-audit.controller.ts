import { Access } from '@crm/access';
import type { OperatorAuditPage } from '@crm/contracts';
import { Database } from '@crm/database';
import { Describe } from '@crm/http';
import { listOperatorAudit } from '@crm/operator-audit';
import { OperatorAuditQuery } from '@crm/operator-audit/dto';
import { Controller, Get, Query } from '@nestjs/common';

/** This service's part of the trail of operators, which marketplace-admin shows together with that of identity. */
@Controller('operators/audit')
@Access({ right: 'administer' })
export class OperatorsAuditController {
  constructor(private readonly database: Database) {}

  @Get()
  @Describe({ summary: 'Lists what operators did', hidden: true })
  list(@Query() query: OperatorAuditQuery): Promise<OperatorAuditPage> {
    return this.database.crossTenant((tx) => listOperatorAudit(tx, query));
  }
}
