/**
 * Returns a function that computes the value of each object once, on the first call with this object. Keeps the value until the object is garbage-collected.
 */
export function memoizeByObject<Key extends object, Value extends object | string | boolean>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = compute(key);
      values.set(key, value);
    }
    return value;
  };
}
