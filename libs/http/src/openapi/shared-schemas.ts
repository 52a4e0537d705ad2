import { BooleanField, IntegerField, ListField, TextField } from '../dto/fields.js';
import { MAX_CURSOR_LENGTH } from '../dto/lists.js';

/** One invalid value of a body. */
export class ProblemItem {
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

  @TextField({ maxLength: 64, description: 'Catalogued code', example: 'VALIDATION_FAILED' })
  code: string;

  @TextField({ maxLength: 128, optional: true })
  requestId?: string;

  @ListField(() => ProblemItem, { optional: true })
  errors?: ProblemItem[];
}

/** The envelope of every list. */
export class ListEnvelope {
  @IntegerField({ minimum: 1 })
  page: number;

  @IntegerField({ minimum: 1, maximum: 200 })
  size: number;

  @IntegerField({
    minimum: 0,
    nullable: true,
    description: 'Counting stops at 10,000 unless count=exact; null with count=none and on later pages of a cursor',
  })
  total: number | null;

  @BooleanField()
  totalIsExact: boolean;

  @BooleanField()
  hasMore: boolean;

  @TextField({ maxLength: MAX_CURSOR_LENGTH, nullable: true })
  nextCursor: string | null;
}
