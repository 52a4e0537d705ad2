import { Readable } from 'node:stream';
import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { AuditExportQuery, AuditListView, AuditQuery } from './audit.dto.js';
import { AuditService } from './audit.service.js';
import { FORMATS } from './audit-export.js';

/** For administrators; the services that keep the trail check the token again. */
@ApiGroup({
  name: 'Audit',
  description: 'What operators did: decisions, plans, operators, and sign-ins. Entries are never changed or removed.',
})
@Controller('api/admin/audit')
@Access({ right: 'administer', proof: false })
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Describe({
    summary: "List the operators' audit trail",
    description:
      'Who did what, when, in which role, and why, what they saw, and the state before and after. The list has no total; use `cursor` to read on.',
    answers: [{ status: 200, description: 'The entries, newest first', body: () => AuditListView }],
  })
  list(@CurrentPrincipal() principal: Principal, @Query() query: AuditQuery): Promise<AuditListView> {
    return this.audit.list(principal, query);
  }

  @Get('export')
  @Describe({
    summary: "Export the operators' audit trail",
    description:
      "Every matching entry, newest first, as `application/x-ndjson` or `text/csv`. Cells that a spreadsheet would read as formulas start with an apostrophe. If an export can't be completed, the transfer breaks off.",
    answers: [
      {
        status: 200,
        description: 'The entries',
        body: { type: 'string', description: 'One entry per line' },
        mediaTypes: ['application/x-ndjson', 'text/csv'],
        example: '"id","at","operatorId"',
      },
    ],
  })
  async export(
    @CurrentPrincipal() principal: Principal,
    @Query() { format = 'ndjson', ...filter }: AuditExportQuery,
  ): Promise<StreamableFile> {
    const { type, head, line } = FORMATS[format];
    const entries = await this.audit.export(principal, filter);
    async function* lines(): AsyncGenerator<string> {
      if (head !== '') yield head;
      for await (const entry of entries) yield line(entry);
    }
    const disposition = `attachment; filename="operator-audit.${format}"`;
    return new StreamableFile(Readable.from(lines(), { objectMode: false }), { type, disposition });
  }
}
