/** Who may see the page: a link that works once gives a browser a cookie. The API keys do not open it. */

export type PageAccess = ReturnType<typeof makePageAccess>;

const MOST = 100;

export function makePageAccess(newToken: () => string) {
  const tokens = new Set<string>();
  const sessions = new Set<string>();
  /** The oldest are dropped. */
  const added = (set: Set<string>): string => {
    const token = `${newToken()}${newToken()}`;
    set.add(token);
    for (const oldest of set) {
      if (set.size <= MOST) break;
      set.delete(oldest);
    }
    return token;
  };
  return {
    /** A new token for a link. */
    issue: () => added(tokens),
    /** A session for a token that was not used yet. */
    redeem: (token: string) => (tokens.delete(token) ? added(sessions) : undefined),
    isOpen: (session: string | undefined) => session !== undefined && sessions.has(session),
  };
}
