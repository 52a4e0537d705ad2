import { Readable } from 'node:stream';
import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, type ListAnswer } from '@crm/http';
import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { AUDIT_GROUP } from '../api-groups.js';
import {
  ACTION_TABLE,
  AuditEntryView,
  AuditExportQuery,
  AuditQuery,
  type ExportFormat,
  MAX_EXPORT_DAYS,
} from './audit-log.dto.js';
import { AuditLogService } from './audit-log.service.js';

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

@ApiGroup(AUDIT_GROUP)
@Controller('api/admin/audit')
@Access({ right: 'administer', proof: false })
export class AuditLogController {
  constructor(private readonly log: AuditLogService) {}

  @Get()
  @Describe({
    summary: 'List the audit trail',
    description: `Who signed in, who failed to, and who changed what, for 400 days unless the platform is configured otherwise. Entries never change. An entry exists once the call returns; entries of rejected calls and other services follow within a second or two.\n\n${ACTION_TABLE}`,
    answers: [{ status: 200, description: 'The entries, newest first', body: () => AuditEntryView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: AuditQuery,
  ): Promise<ListAnswer<AuditEntryView>> {
    return this.log.list(principal, query);
  }

  @Get('export')
  @Describe({
    summary: 'Export the audit trail',
    description: `Streams the entries of up to ${MAX_EXPORT_DAYS} days, oldest first: one JSON document per line, or CSV with cells that no spreadsheet reads as formulas. The export itself is recorded. If the connection breaks, the export is incomplete.`,
    answers: [
      {
        status: 200,
        description: 'The entries',
        body: { type: 'string', description: 'One entry per line' },
        mediaTypes: ['application/x-ndjson', 'text/csv'],
        example: 'id,at,action,outcome',
      },
    ],
    errors: ['RATE_LIMITED'],
  })
  async export(@CurrentPrincipal() principal: Principal, @Query() query: AuditExportQuery): Promise<StreamableFile> {
    const { format = 'ndjson' } = query;
    const pieces = await this.log.export(principal, query);
    return new StreamableFile(Readable.from(pieces, { objectMode: false }), {
      type: CONTENT_TYPES[format],
      disposition: `attachment; filename="audit.${format}"`,
    });
  }
}
