// @ts-check
/** What this browser remembers; where storage is refused, it lasts as long as the page. */

/** @type {Map<string, string>} */
const fallback = new Map();

/**
 * Return a remembered value, or the given one when there is none.
 * @template T
 * @param {string} name
 * @param {T} otherwise
 * @returns {T}
 */
export function recall(name, otherwise) {
  try {
    const text = localStorage.getItem(`forms.${name}`) ?? fallback.get(name);
    return text === undefined ? otherwise : JSON.parse(text);
  } catch {
    const text = fallback.get(name);
    return text === undefined ? otherwise : JSON.parse(text);
  }
}

/**
 * Remember a value.
 * @param {string} name
 * @param {unknown} value
 */
export function remember(name, value) {
  const text = JSON.stringify(value);
  fallback.set(name, text);
  try {
    localStorage.setItem(`forms.${name}`, text);
  } catch {
    // Storage is full or refused: the page's own memory has to do.
  }
}
