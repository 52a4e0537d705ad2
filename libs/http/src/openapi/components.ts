import { ERRORS, type ErrorCode } from '@crm/contracts';
import { type DtoClass, isDtoPart, type JsonSchema, type SchemaPart, schemaOf } from '../dto/schema.js';
import { problemTypeUrl } from '../problem/problem.js';

export type Json = Record<string, unknown>;

const byName = (entries: ReadonlyMap<string, Json>): Json =>
  Object.fromEntries([...entries].sort(([left], [right]) => left.localeCompare(right)));

/** The components that operations refer to: schemas of DTO classes, examples of refusals. */
export class Components {
  private readonly schemas = new Map<string, Json>();
  private readonly examples = new Map<string, Json>();

  /** @param baseUrl public address below which error codes are explained */
  constructor(private readonly baseUrl: string) {}

  /** A reference to the schema of a DTO class. */
  schema(dto: DtoClass): Json {
    const { name } = dto;
    if (!this.schemas.has(name)) {
      // Registered before it is written, so that a class may refer to itself.
      this.schemas.set(name, {});
      this.schemas.set(name, this.write(schemaOf(dto) ?? { type: 'object' }));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** A reference to the example of a problem with this code. */
  problemExample(code: ErrorCode): Json {
    if (!this.examples.has(code)) {
      const { title, status } = ERRORS[code];
      const type = problemTypeUrl(this.baseUrl, code);
      this.examples.set(code, { summary: title, value: { type, title, status, detail: title, code } });
    }
    return { $ref: `#/components/examples/${code}` };
  }

  /** The OpenAPI form of a schema: nested DTO classes become references. */
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
