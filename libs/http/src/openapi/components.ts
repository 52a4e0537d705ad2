import { ERRORS, type ErrorCode } from '@crm/contracts';
import { BooleanField, IntegerField, ListField, TextField } from '../dto/fields.js';
import { MAX_CURSOR_LENGTH } from '../dto/lists.js';
import { type DtoClass, isDtoPart, type JsonSchema, type SchemaPart, schemaOf } from '../dto/schema.js';
import { problemTypeUrl } from '../problem/problem.js';

class ProblemItem {
  @TextField({ maxLength: 1024, minLength: 0, description: 'JSON pointer (RFC 6901) to the value' })
  pointer: string;

  @TextField({ maxLength: 64 })
  code: string;

  @TextField({ maxLength: 1024 })
  detail: string;
}

/** A problem document (RFC 9457), the form of every error response. */
export class ProblemDocument {
  @TextField({ maxLength: 2048 })
  type: string;

  @TextField({ maxLength: 256 })
  title: string;

  @IntegerField({ minimum: 400, maximum: 599 })
  status: number;

  @TextField({ maxLength: 4096 })
  detail: string;

  @TextField({ maxLength: 2048, optional: true, description: 'The path, without secrets' })
  instance?: string;

  @TextField({ maxLength: 64, description: 'Stable error code', example: 'VALIDATION_FAILED' })
  code: string;

  @TextField({ maxLength: 128, optional: true })
  requestId?: string;

  @ListField(() => ProblemItem, { optional: true })
  errors?: ProblemItem[];
}

export class ListEnvelope {
  @IntegerField({ minimum: 1 })
  page: number;

  @IntegerField({ minimum: 1, maximum: 200 })
  size: number;

  @IntegerField({
    minimum: 0,
    nullable: true,
    description: 'Stops at 10,000 unless count=exact; null with count=none and on later pages of a cursor',
  })
  total: number | null;

  @BooleanField()
  totalIsExact: boolean;

  @BooleanField()
  hasMore: boolean;

  @TextField({ maxLength: MAX_CURSOR_LENGTH, nullable: true })
  nextCursor: string | null;
}

export type Json = Record<string, unknown>;

const byName = (entries: ReadonlyMap<string, Json>): Json =>
  Object.fromEntries([...entries].sort(([left], [right]) => left.localeCompare(right)));

/** The components that operations refer to: schemas of DTO classes, examples of refusals. */
export class Components {
  private readonly schemas = new Map<string, Json>();
  private readonly examples = new Map<string, Json>();

  /** @param baseUrl public address below which error codes are explained */
  constructor(private readonly baseUrl: string) {}

  schema(dto: DtoClass): Json {
    const { name } = dto;
    if (!this.schemas.has(name)) {
      // Registered before it is written, so that a class may refer to itself.
      this.schemas.set(name, {});
      this.schemas.set(name, this.write(schemaOf(dto) ?? { type: 'object' }));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  problemExample(code: ErrorCode): Json {
    if (!this.examples.has(code)) {
      const { title, status, advice } = ERRORS[code];
      const type = problemTypeUrl(this.baseUrl, code);
      this.examples.set(code, { summary: title, value: { type, title, status, detail: advice, code } });
    }
    return { $ref: `#/components/examples/${code}` };
  }

  write(part: SchemaPart): Json {
    if (isDtoPart(part)) {
      const reference = this.schema(part.dto());
      const schema = part.nullable ? { anyOf: [reference, { type: 'null' }] } : reference;
      return part.description === undefined ? schema : { ...schema, description: part.description };
    }
    const { properties, items, ...rest }: JsonSchema = part;
    return {
      ...rest,
      ...(items && { items: this.write(items) }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, this.write(member)])),
      }),
    };
  }

  all(): Json {
    return { schemas: byName(this.schemas), ...(this.examples.size > 0 && { examples: byName(this.examples) }) };
  }
}
