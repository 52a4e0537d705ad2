import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import {
  BodyLimit,
  ConstantProblems,
  Describe,
  EmailField,
  EnumField,
  type ExpectedVersions,
  field,
  IdParam,
  IfMatch,
  idPosition,
  ListField,
  ListQuery,
  listAnswer,
  NotRepeatable,
  ObjectField,
  parsePage,
  requireMatch,
  TextField,
} from '@crm/http';
import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { startWith, TENANT, tokenOf } from './harness.js';

class Address {
  @TextField({ maxLength: 5 })
  city: string;
}

class CreateLead {
  @TextField({ maxLength: 10 })
  lastName: string;

  @EmailField({ optional: true, nullable: true })
  email?: string | null;

  @EnumField(['new', 'open'], { optional: true })
  status: string = 'new';

  @ListField(field.text({ maxLength: 3 }), { optional: true, maxItems: 2 })
  tags?: string[];

  @ObjectField(() => Address, { optional: true })
  address?: Address;
}

@Controller('api/crm/leads')
class LeadController {
  @Post()
  @Access({ right: 'write', scope: 'leads' })
  @Describe({ summary: 'Creates a lead', answers: [{ status: 201, description: 'The lead', body: () => CreateLead }] })
  create(@Body() body: CreateLead, @CurrentPrincipal() principal: Principal): object {
    return { ...body, tenant: principal.tenantId, requestId: principal.requestId };
  }

  @Get()
  @Public()
  list(@Query() query: ListQuery): object {
    const page = parsePage(query, { tenantId: TENANT, list: 'leads' });
    const rows = [1, 2, 3].slice(page.after ? Number(page.after.id.at(-1)) : page.offset).slice(0, page.limit);
    return listAnswer(
      rows.map((number) => ({ id: `0199aa00-0000-7000-8000-00000000000${number}` })),
      page,
      3,
      idPosition,
    );
  }

  @Patch(':id')
  @Public()
  change(@IfMatch() expected: ExpectedVersions): object {
    requireMatch(expected, 3);
    return {};
  }

  @Get(':id')
  @Public()
  read(@IdParam() id: string): object {
    return { id };
  }
}

@Controller('api/crm')
class OddController {
  @Post('raw')
  @Public()
  @HttpCode(200)
  @BodyLimit(100)
  raw(@Body() body: Record<string, unknown>): object {
    return { keys: Object.keys(body) };
  }

  @Post('tokens')
  @NotRepeatable()
  @Access({ right: 'write' })
  token(): object {
    return { secret: 'shown once' };
  }

  @Get('defect')
  @Public()
  defect(): never {
    throw Object.assign(new Error('relation "secret_table" does not exist'), { query: 'SELECT 1' });
  }

  @Get('down')
  @Public()
  down(): never {
    throw new PlatformError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: 7 });
  }

  @Post('automations/hooks/:workflowId/:secret')
  @Public()
  @ConstantProblems()
  hook(): never {
    throw new PlatformError('NOT_FOUND');
  }

  @Get('automations/hooks/:workflowId/:secret')
  @Public()
  hookProblem(): never {
    throw new PlatformError('NOT_FOUND');
  }
}

interface Request {
  body?: string;
  headers?: Record<string, string>;
}

/** A service with routes of every kind, and calls of it. */
export async function startLeadService() {
  const { url, close } = await startWith({ controllers: [LeadController, OddController] });
  const token = await tokenOf();
  const call = async (method: string, path: string, request: Request = {}) => {
    const response = await fetch(url + path, { method, ...request });
    const text = await response.text();
    const json = text ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, json, outcome: [response.status, json?.code] };
  };
  return {
    close,
    call,
    get: (path: string, headers?: Record<string, string>) => call('GET', path, { headers }),
    /** With the token of a member. A text is sent as it is. */
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      call('POST', path, {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
      }),
  };
}
