/**
 * Returns a function with a cache: it computes the value of each object only once.
 * A cached value is kept until its object is garbage-collected.
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
