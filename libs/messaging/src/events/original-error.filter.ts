import { Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/**
 * Hands on what the handler of an event threw. By it the consumer decides whether waiting helps, and operators read it
 * beside the dead letter. It stands before every global filter: an event has no caller to answer, and a filter that
 * answered would acknowledge it.
 */
@Catch()
export class OriginalErrorFilter implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}
