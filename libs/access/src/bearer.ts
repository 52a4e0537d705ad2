/** The token of an `Authorization` header (RFC 6750, section 2.1), or undefined if it is absent or of another scheme. */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1];
}
