// @ts-check
/**
 * The words of the scripts: gettext with the catalogue that the page brought along.
 *
 * The page holds the translations as JSON in the element `messages`; English needs none. Values
 * are put in for `%(name)s`.
 *
 * @typedef {Record<string, string | number>} Values
 */

const language = document.documentElement.lang || "en";
const plurals = new Intl.PluralRules(language);
/** @type {Record<string, string>} */
const catalogue = JSON.parse(document.getElementById("messages")?.textContent || "{}");

/**
 * Return a text in the page's language.
 * @param {string} text
 * @param {Values} [values]
 * @returns {string}
 */
export function gettext(text, values = {}) {
  return fill(catalogue[text] ?? text, values);
}

/**
 * Return the form of a text that fits a number; `%(n)s` stands for the number itself.
 * @param {string} one
 * @param {string} many
 * @param {number} n
 * @param {Values} [values]
 * @returns {string}
 */
export function ngettext(one, many, n, values = {}) {
  const english = n === 1 ? one : many;
  const translated = catalogue[`${one}|${plurals.select(n)}`] ?? catalogue[`${one}|other`];
  return fill(translated ?? english, { n, ...values });
}

/**
 * Return how long ago a moment was, in words.
 * @param {string} moment an ISO date with its time
 * @returns {string}
 */
export function ago(moment) {
  const seconds = Math.min(0, (Date.parse(moment) - Date.now()) / 1000);
  if (!Number.isFinite(seconds)) {
    return "";
  }
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  /** @type {Array<[Intl.RelativeTimeFormatUnit, number]>} */
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  for (const [unit, length] of units) {
    if (-seconds >= length) {
      return words.format(Math.ceil(seconds / length), unit);
    }
  }
  return words.format(0, "minute");
}

/**
 * @param {string} text
 * @param {Values} values
 * @returns {string}
 */
function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (whole, name) =>
    name in values ? String(values[name]) : whole,
  );
}
