"""clusterfutures: an executor of concurrent.futures whose workers are jobs."""

import json

import cfut


def square(number):
    return number * number


if __name__ == "__main__":
    with cfut.CondorExecutor() as executor:
        print(json.dumps([future.result() for future in [executor.submit(square, number) for number in range(3)]]))
