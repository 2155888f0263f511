/** What label selectors and node affinity ask of one value. */

/** As the API writes them; `kubectl -l` has signs of its own for the same. */
export type RequirementOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

/** Whether a value, undefined where there is none, is what is asked for. A missing one satisfies NotIn, as on the server; an operator that does not exist is met by nothing. */
export function meetsOperator(operator: string, values: readonly string[], value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const label = value === undefined ? null : parseInt64(value);
      const bound = parseInt64(values[0] ?? '');
      if (label === null || bound === null) return false;
      return operator === 'Gt' ? label > bound : label < bound;
    }
    default:
      return false;
  }
}

/** What Go's strconv.ParseInt(text, 10, 64) takes. */
export function parseInt64(text: string): bigint | null {
  if (!/^[+-]?\d+$/.test(text)) return null;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : null;
}
