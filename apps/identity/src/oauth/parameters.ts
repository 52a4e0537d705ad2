import { OAuthError } from './oauth-error.js';

/** Longest value of a parameter, in characters. */
const MAX_VALUE = 4096;
/** RFC 6749, appendix A: the values of all parameters that are read here are printable ASCII. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/** The parameters of a request. Unknown ones are ignored, and one without a value counts as absent (RFC 6749, section 3.1). */
export class Parameters {
  private constructor(private readonly values: URLSearchParams) {}

  /**
   * @param body of a request, as the parser of forms leaves it
   * @throws OAuthError invalid_request when it is not a form
   */
  static ofForm(body: unknown): Parameters {
    if (typeof body === 'string') return new Parameters(new URLSearchParams(body));
    throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded');
  }

  /** @param url with a query string or without one */
  static ofUrl(url: string): Parameters {
    const start = url.indexOf('?');
    return new Parameters(new URLSearchParams(start < 0 ? '' : url.slice(start + 1)));
  }

  /** @throws OAuthError invalid_request for a parameter that is given twice, is very long or has characters of other alphabets */
  find(name: string): string | undefined {
    const [value, ...more] = this.values.getAll(name);
    if (more.length > 0) throw new OAuthError('invalid_request', `The parameter ${name} is given more than once`);
    if (value === undefined || value === '') return undefined;
    if (value.length > MAX_VALUE) throw new OAuthError('invalid_request', `The parameter ${name} is too long`);
    if (!PRINTABLE.test(value)) {
      throw new OAuthError('invalid_request', `The parameter ${name} has a character that is not allowed`);
    }
    return value;
  }

  /** @throws OAuthError invalid_request also for a parameter that is missing */
  get(name: string): string {
    const value = this.find(name);
    if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing`);
    return value;
  }
}
