import { Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/**
 * Passes on the original error of an event handler. From it the consumer decides whether waiting helps, and operators see
 * it with the dead letter. It comes before every global filter: an event has no caller, and a filter that answered would
 * acknowledge it.
 */
@Catch()
export class OriginalErrorFilter implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}
