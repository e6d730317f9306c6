/** Returns a function that computes the value of each object once, on the first call with it. Keeps the value as long as the object is in use. */
export function memoizeByObject<Key extends object, Value extends object>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    let value = values.get(key);
    if (!value) {
      value = compute(key);
      values.set(key, value);
    }
    return value;
  };
}
