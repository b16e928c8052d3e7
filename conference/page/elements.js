// SPDX-License-Identifier: Apache-2.0
// The few operations on the document that all parts of the page need.

/** @param {string} id @returns {HTMLElement} */
export const byId = (id) => document.getElementById(id);

/**
 * @param {string} name of the element
 * @param {object} [properties] of the element; `class` and `label` (its accessible name and tooltip) as well
 * @param {...(Node|string)} children strings become text, never HTML
 */
export function make(name, { class: classes, label, ...properties } = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  if (classes) element.className = classes;
  if (label) setLabel(element, label);
  element.append(...children);
  return element;
}

/** Accessible name and tooltip of a control. @param {Element} element @param {string} label */
export function setLabel(element, label) {
  if (element.getAttribute('aria-label') === label) return;
  element.setAttribute('aria-label', label);
  element.title = label;
}

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes the children of `container` those of `items`: what stays keeps its element, its focus and its place if it can.
 * @template T
 * @param {Element} container
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => Element} create
 * @param {(element: Element, item: T) => void} update
 */
export function reconcile(container, items, keyOf, create, update) {
  const old = new Map([...container.children].filter((each) => each.dataset.key !== undefined).map((each) => [each.dataset.key, each]));
  let previous = null;
  for (const item of items) {
    const key = keyOf(item);
    const element = old.get(key) ?? create(item);
    element.dataset.key = key;
    old.delete(key);
    const place = previous ? previous.nextElementSibling : container.firstElementChild;
    if (place !== element) container.insertBefore(element, place);
    update(element, item);
    previous = element;
  }
  for (const element of old.values()) element.remove();
}
